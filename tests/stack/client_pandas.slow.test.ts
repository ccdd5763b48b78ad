import { useSharedStack } from '../support/shared_stack.ts';
import { clientPythonSuite } from './client_python.suite.ts';

const stack = useSharedStack();

clientPythonSuite(stack, { pandas: true });
