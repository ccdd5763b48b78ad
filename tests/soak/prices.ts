import { fetchAllMarkets, type Simulator } from '../stack/simulator.ts';
import type { RunningStack } from '../support/stack.ts';
import type { Findings } from './findings.ts';

/**
 * Compares the asks of some markets over REST with the books of the simulator at the REST snapshot.
 * Returns false without a check when the snapshot is older than `from` (ms).
 */
export async function checkPrices(
  stack: RunningStack,
  simulator: Simulator,
  key: string,
  from: number,
  findings: Findings,
): Promise<boolean> {
  const { markets, page } = await fetchAllMarkets(stack, key, '&market_type=moneyline');
  const at = Date.parse(page.snapshot_at);
  if (at < from) return false;
  for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 8)) {
    const { errors, compared } = await simulator.askErrors(market, at);
    findings.add('prices equal the books', compared, errors);
  }
  return true;
}
