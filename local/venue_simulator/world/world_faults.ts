import { TICK_TABLES } from '../books/tick_sizes.ts';
import type { FaultHit, FaultRequest, WorldFaults } from '../faults/faults.ts';
import type { Instrument } from './instrument.ts';
import { LiveMarketA, type Reshape } from './live_a.ts';
import type { World } from './world.ts';
import { hideMarkets, waiveFee } from './world_faults_a.ts';

/** Faults of books and listings, not of connections. */
export function worldFaultsOf(world: World): WorldFaults {
  return (request, forMs, random) => {
    if (request.fault === 'schema') return breakListing(world, request, random);
    if (request.fault === 'no_markets') return hideMarkets(world, request, forMs, random);
    if (request.fault === 'fee_waiver') return waiveFee(world, request, forMs, random);
    const reshape = CHANGES_OF_B[request.fault];
    if (reshape) return changeListingOfB(world, request, reshape, random);
    if (request.fault === 'inverted') return invertTokens(world, request, forMs, random);
    const kind = request.fault;
    const instrument = named(world, request) ?? someBook(world, random);
    if (!instrument) return null;
    if (kind === 'frozen') world.freezeOnSocket(instrument, world.t + forMs);
    else if (kind === 'ticks') {
      const names = Object.keys(TICK_TABLES);
      const name =
        request.how && TICK_TABLES[request.how] ? request.how : (names[Math.floor(random() * names.length)] ?? '');
      const table = TICK_TABLES[name];
      if (!table) return null;
      world.changeTicks(instrument, table);
    } else if (kind === 'crossed' || kind === 'one_sided' || kind === 'empty' || kind === 'frozen_both') {
      world.override(instrument, { kind, until: world.t + forMs, side: request.how === 'bids' ? 'bids' : 'asks' });
    } else return null;
    const owner = world.ownerOf(instrument);
    const contracts = owner instanceof LiveMarketA ? [owner.ticker] : (owner?.tokens ?? []);
    return { what: `${kind} book of ${instrument.question.key} on venue_${instrument.venue}`, contracts };
  };
}

function named(world: World, request: FaultRequest): Instrument | undefined {
  if (request.ticker) return world.catalog.marketA(request.ticker)?.instrument;
  return request.token_id || request.slug
    ? world.catalog.marketB(request.token_id ?? request.slug ?? '')?.instrument
    : undefined;
}

/** Any book that trades and has no fault. */
function someBook(world: World, random: () => number): Instrument | undefined {
  const onA = random() < 0.5;
  const markets = onA
    ? world.catalog.eventsA().flatMap((event) => event.markets)
    : world.catalog.eventsB().flatMap((event) => event.markets);
  for (let attempt = 0; attempt < 10; attempt++) {
    const instrument = markets[Math.floor(random() * markets.length)]?.instrument;
    if (instrument && instrument.ladder.bids.length > 0 && !instrument.override && !instrument.frozenOnSocket)
      return instrument;
  }
  return undefined;
}

/**
 * Exchanges the books of one market's two tokens: the orientation of its pair changes without a
 * message.
 */
function invertTokens(world: World, request: FaultRequest, forMs: number, random: () => number): FaultHit | null {
  const trading = world.catalog
    .eventsB()
    .flatMap((event) => event.markets)
    .filter(({ instrument, contract }) => contract.traded && instrument.ladder.bids.length > 0);
  const market =
    world.catalog.marketB(request.token_id ?? request.slug ?? '') ?? trading[Math.floor(random() * trading.length)];
  if (!market || market.inverted) return null;
  world.invert(market, world.t + forMs);
  return { what: `inverted tokens of ${market.slug}`, contracts: market.tokens };
}

const without =
  (name: string): Reshape =>
  ({ [name]: _gone, ...rest }) =>
    rest;
const withRenamed =
  (from: string, to: string): Reshape =>
  ({ [from]: value, ...rest }) => ({ ...rest, [to]: value });
const withNull =
  (name: string): Reshape =>
  (fields) => ({ ...fields, [name]: null });

/** Changes of a payload: a field missing, renamed, or null. Chosen by `how`, or at random. */
const BREAKS: Record<string, { a: Reshape; b: Reshape }> = {
  missing: { a: without('status'), b: without('outcomes') },
  renamed: { a: withRenamed('ticker', 'market_ticker'), b: withRenamed('conditionId', 'condition_id') },
  null: { a: withNull('close_time'), b: withNull('outcomes') },
};

/**
 * Corrupts one listing for good: the named one, or one that only one venue lists, so that no pair
 * is lost.
 */
function breakListing(world: World, request: FaultRequest, random: () => number): FaultHit | null {
  const names = Object.keys(BREAKS);
  const how =
    request.how && BREAKS[request.how] ? request.how : (names[Math.floor(random() * names.length)] ?? 'missing');
  const way = BREAKS[how];
  const known = world.known();
  const twinned = new Set(
    known.flatMap(({ twins = [] }) => twins.flatMap(({ event_ticker, event_slug }) => [event_ticker, event_slug])),
  );
  const lone = known.filter(
    ({ a, b }) =>
      (b === null && a && !twinned.has(a.ticker) && world.catalog.eventA(a.ticker)) ||
      (a === null && b && !twinned.has(b.slug) && world.catalog.eventB(b.slug)),
  );
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  const onA = request.ticker ? world.catalog.marketA(request.ticker) : undefined;
  const onB = request.slug ? world.catalog.marketB(request.slug) : undefined;
  const question = onA || onB ? undefined : pick(lone);
  const a = onA ?? (question?.a ? world.catalog.eventA(question.a.ticker)?.markets[0] : undefined);
  const b = onB ?? (question?.b ? world.catalog.eventB(question.b.slug)?.markets[0] : undefined);
  const target = a ?? b;
  if (!target || !way) return null;
  target.reshape = a ? way.a : way.b;
  target.forget();
  return { what: `${how} field in ${a ? a.ticker : b?.slug}` };
}

/** Changes of a payload of venue B that its documents allow, each for good (venues.md G). */
const CHANGES_OF_B: Partial<Record<FaultRequest['fault'], Reshape>> = {
  // A version of a protocol that comes after v2.
  unknown_version: (fields) => ({ ...fields, version: 'v3' }),
  // Two flags are null and one is absent.
  null_flags: ({ enableOrderBook: _gone, ...fields }) => ({ ...fields, closed: null, acceptingOrders: null }),
  // A delay in a field that no document names.
  new_delay: (fields) => ({ ...fields, matchDelayMs: 150 }),
};

/** Changes one market of venue B: the named one, or one that only this venue lists. */
function changeListingOfB(
  world: World,
  request: FaultRequest,
  reshape: Reshape,
  random: () => number,
): FaultHit | null {
  const lone = world
    .known()
    .flatMap(({ a, b }) => (a === null && b ? (world.catalog.eventB(b.slug)?.markets ?? []) : []));
  const named = request.slug ?? request.token_id;
  const market = named === undefined ? lone[Math.floor(random() * lone.length)] : world.catalog.marketB(named);
  if (!market) return null;
  market.reshape = reshape;
  market.forget();
  return { what: `${request.fault} of ${market.slug}`, contracts: market.tokens };
}
