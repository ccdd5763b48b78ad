import { describe } from 'vitest';
import { useSharedStack } from '../support/shared_stack.ts';
import { reviewSuite } from './review.suite.ts';

const stack = useSharedStack();

describe('on the shared stack', () => {
  reviewSuite(stack);
});
