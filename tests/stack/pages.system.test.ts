import { afterAll, beforeAll, describe } from 'vitest';
import { keysSuite } from '../dashboard/keys.suite.ts';
import { useSharedStack } from '../support/shared_stack.ts';
import type { RunningStack } from '../support/stack.ts';
import { livePageSuite } from './live_page.suite.ts';

let stack: RunningStack;
beforeAll(async () => {
  stack = await useSharedStack();
});
afterAll(() => stack?.stop());

describe('on the shared stack', () => {
  livePageSuite(() => stack);
  keysSuite(() => stack);
});
