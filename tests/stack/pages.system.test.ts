import { describe } from 'vitest';
import { keysSuite } from '../dashboard/keys.suite.ts';
import { useSharedStack } from '../support/shared_stack.ts';
import { livePageSuite } from './live_page.suite.ts';

const stack = useSharedStack();

describe('on the shared stack', () => {
  livePageSuite(stack);
  keysSuite(stack);
});
