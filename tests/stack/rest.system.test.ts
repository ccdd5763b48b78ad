import { describe } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import { deployVerifySuite } from './deploy_verify.suite.ts';
import { inboxSuite } from './inbox.suite.ts';
import { logsSuite } from './logs.suite.ts';
import { mainJobSuite } from './main_job.suite.ts';

const stack = useSharedStack();

describe('on the shared stack', () => {
  mainJobSuite(stack);
  inboxSuite(stack);
  deployVerifySuite(stack);
  logsSuite(stack, async () => {});
});
