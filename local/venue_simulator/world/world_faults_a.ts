import type { FaultHit, FaultRequest } from '../faults/faults.ts';
import type { LiveMarketA } from './live_a.ts';
import type { World } from './world.ts';

/** The market that a fault names, or any that trades. */
function targetOf(world: World, { ticker }: FaultRequest, random: () => number): LiveMarketA | undefined {
  if (ticker) return world.catalog.marketA(ticker);
  const trading = world.catalog
    .eventsA()
    .flatMap((event) => event.markets)
    .filter((market) => market.status() === 'active');
  return trading[Math.floor(random() * trading.length)];
}

/** An event without its list of markets (`how: null`: with null), as past the historical cutoff. */
export function hideMarkets(world: World, request: FaultRequest, forMs: number, random: () => number): FaultHit | null {
  const market = targetOf(world, request, random);
  const event = market && world.catalog.eventA(market.event_ticker);
  if (!event) return null;
  const until = world.t + forMs;
  const form = request.how === 'null' ? 'null' : 'absent';
  event.hiddenMarkets = () => (world.t < until ? form : null);
  return { what: `no markets in ${event.ticker}` };
}

/** A market whose fee is waived for a time (`fee_waiver_expiration_time`). */
export function waiveFee(world: World, request: FaultRequest, forMs: number, random: () => number): FaultHit | null {
  const market = targetOf(world, request, random);
  if (!market) return null;
  market.feeWaivedUntil = world.t + forMs;
  market.forget();
  return { what: `fee waiver of ${market.ticker}` };
}
