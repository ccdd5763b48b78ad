import { useSharedPart } from './shared_part.ts';
import { attachStack, type RunningStack, type StackPlace } from './stack.ts';

/**
 * The running stack that the files of this run share, for files that neither stop nor break it.
 * Each has its own accounts and organizations. `stop` leaves it to the others.
 */
export async function useSharedStack(): Promise<RunningStack> {
  const { facts, release } = await useSharedPart<StackPlace>('stack');
  return attachStack(facts, async () => release());
}
