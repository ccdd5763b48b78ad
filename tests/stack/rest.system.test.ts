import { afterAll, beforeAll, describe } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import type { RunningStack } from '../support/stack.ts';
import { deployVerifySuite } from './deploy_verify.suite.ts';
import { inboxSuite } from './inbox.suite.ts';
import { logsSuite } from './logs.suite.ts';
import { mainJobSuite } from './main_job.suite.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await useSharedStack();
});
afterAll(() => stack?.stop());

describe('on the shared stack', () => {
  mainJobSuite(() => stack);
  inboxSuite(() => stack);
  deployVerifySuite(() => stack);
  logsSuite(
    () => stack,
    async () => {},
  );
});
