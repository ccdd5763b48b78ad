import { everyMarket, type Simulator } from '../stack/simulator.ts';
import type { RunningStack } from '../support/stack.ts';
import type { Findings } from './findings.ts';

/** Asks over REST are what the simulator's books said at the snapshot, for some markets; only of a snapshot after `from` (ms). */
export async function checkPrices(
  stack: RunningStack,
  simulator: Simulator,
  key: string,
  from: number,
  findings: Findings,
): Promise<boolean> {
  const { markets, page } = await everyMarket(stack, key, '&market_type=moneyline');
  const at = Date.parse(page.snapshot_at);
  if (at < from) return false;
  for (const market of markets.filter((one) => one.outcomes.length > 0).slice(0, 8)) {
    const { wrong, compared } = await simulator.wrongAsks(market, at);
    findings.add('prices are what the books said', compared, wrong);
  }
  return true;
}
