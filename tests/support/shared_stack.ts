import { afterAll, beforeAll } from 'vitest';
import { useSharedPart } from './shared_part.ts';
import type { AllowedReceiver, SharedStackFacts } from './shared_stack_process.ts';
import { attachStack, type RunningStack } from './stack.ts';

type SharedStack = RunningStack & { receiver: AllowedReceiver };

/**
 * Uses the running stack that the files of this run share, for files that neither stop nor break
 * it. Each has its own accounts and organizations. Call it where hooks are registered, and the
 * result in a test or a later hook. The others keep the stack when this file has ended.
 */
export function useSharedStack(): () => SharedStack {
  let stack: SharedStack | undefined;
  beforeAll(async () => {
    const { facts, release } = await useSharedPart<SharedStackFacts>('stack');
    stack = Object.assign(
      attachStack(facts.place, async () => release()),
      { receiver: facts.receiver },
    );
  });
  afterAll(() => stack?.stop());
  return () => {
    if (!stack) throw new Error('The shared stack is there from beforeAll on.');
    return stack;
  };
}
