import { describe } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import { clientSuite } from './client.suite.ts';
import { clientPythonSuite } from './client_python.suite.ts';

const stack = useSharedStack();

describe('on the shared stack', () => {
  clientSuite(stack);
  clientPythonSuite(stack, { pandas: false });
});
