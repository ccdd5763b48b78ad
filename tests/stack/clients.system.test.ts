import { afterAll, beforeAll, describe } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import type { RunningStack } from '../support/stack.ts';
import { clientSuite } from './client.suite.ts';
import { clientPythonSuite } from './client_python.suite.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await useSharedStack();
});
afterAll(() => stack?.stop());

describe('on the shared stack', () => {
  clientSuite(() => stack);
  clientPythonSuite(() => stack, { pandas: false });
});
