import { afterAll, beforeAll } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import type { RunningStack } from '../support/stack.ts';
import { clientPythonSuite } from './client_python.suite.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await useSharedStack();
});
afterAll(() => stack?.stop());

clientPythonSuite(() => stack, { pandas: true });
