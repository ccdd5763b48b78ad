import { useSharedPart } from './shared_part.ts';
import type { AllowedReceiver, SharedStackFacts } from './shared_stack_process.ts';
import { attachStack, type RunningStack } from './stack.ts';

/**
 * The running stack that the files of this run share, for files that neither stop nor break it.
 * Each has its own accounts and organizations. `stop` leaves it to the others.
 */
export async function useSharedStack(): Promise<RunningStack & { receiver: AllowedReceiver }> {
  const { facts, release } = await useSharedPart<SharedStackFacts>('stack');
  return Object.assign(
    attachStack(facts.place, async () => release()),
    { receiver: facts.receiver },
  );
}
