import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import type { Runtime } from '../../functions/_shared/runtime.ts';
import type { InvalidReason } from '../../functions/ingest/books/book_store.ts';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import type { MarketClock } from '../../functions/ingest/clock.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import { RestClient, type RestOptions } from '../../functions/ingest/feeds/rest.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { VenueAFeed, type VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import type { Signer } from '../../functions/ingest/venue_a/sign.ts';
import { VenueBFeed, type VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import type { ListeningInfo } from '../../local/venue_simulator/serve.ts';
import { type RecordingRuntime, recordingRuntime } from './runtime.ts';

/** How a feed reaches the venues: over real sockets, or in virtual time. */
export type VenueAccess = {
  runtime: Runtime;
  openSocket: SocketFactory;
  addresses: {
    venue_a: Pick<ListeningInfo['venue_a'], 'rest' | 'ws'>;
    venue_b: Pick<ListeningInfo['venue_b'], 'gamma' | 'clob' | 'data' | 'ws'>;
  };
  /** Signs with venue_a's key. */
  sign: Signer;
  clock: MarketClock;
};

/** The feed of one venue, without a database, with the recorded changes of its book store. */
export type FeedFixture<Feed extends BookFeed = BookFeed> = {
  feed: Feed;
  store: BookStore;
  contracts: string[];
  /** Every invalid reason, or 'valid', in the order of the changes. */
  reasons: string[];
  /** Number of valid books now. */
  validCount(): number;
  allValid(): boolean;
  /** Contracts that are invalid for this reason now. */
  invalidWith(reason: InvalidReason): string[];
  runtime: RecordingRuntime;
};

export type FeedAOptions = Partial<VenueAFeedOptions> & { keyRetryMs?: number; burst?: number };
export type FeedBOptions = Partial<VenueBFeedOptions>;

export const restClient = (runtime: Runtime, base: string, more: Partial<RestOptions> = {}): RestClient =>
  new RestClient({ base, runtime, bucket: new TokenBucket(500, 500, runtime), attempts: 2, timeoutMs: 2_000, ...more });

/** The requests to venue_b, without a limit that a test could reach. */
export function restB({ runtime, addresses }: Pick<VenueAccess, 'runtime' | 'addresses'>): VenueBRest {
  const { gamma, clob, data } = addresses.venue_b;
  return new VenueBRest(restClient(runtime, gamma), restClient(runtime, clob), restClient(runtime, data));
}

export function feedA(
  { runtime, openSocket, addresses, sign, clock }: VenueAccess,
  tickers: readonly string[],
  { keyRetryMs, burst = 500, ...more }: FeedAOptions = {},
): FeedFixture<VenueAFeed> {
  const { now } = runtime;
  const key = new AccessKey({ sign, now, ...(keyRetryMs === undefined ? {} : { retryMs: keyRetryMs }) });
  return fixtureOf('venue_a', tickers, recordingRuntime('venue_a', runtime, clock), (store, recording) => {
    const signed = restClient(runtime, addresses.venue_a.rest, { sign: (method, path) => key.headers(method, path) });
    const rest = new VenueARest(signed, { key, burst, now, log: recording.log });
    const socket = { url: addresses.venue_a.ws, make: openSocket, key };
    return new VenueAFeed({ store, rest, runtime: recording, socket, ...more });
  });
}

export function feedB(
  access: VenueAccess,
  tokens: readonly string[],
  more: FeedBOptions = {},
): FeedFixture<VenueBFeed> {
  const { runtime, openSocket, addresses, clock } = access;
  return fixtureOf('venue_b', tokens, recordingRuntime('venue_b', runtime, clock), (store, recording) => {
    const socket = { url: addresses.venue_b.ws, make: openSocket };
    return new VenueBFeed({ store, rest: restB(access), runtime: recording, socket, quietMs: 1_500, ...more });
  });
}

function fixtureOf<Feed extends BookFeed>(
  venue: 'venue_a' | 'venue_b',
  names: readonly string[],
  runtime: RecordingRuntime,
  make: (store: BookStore, runtime: RecordingRuntime) => Feed,
): FeedFixture<Feed> {
  const reasons: string[] = [];
  const store: BookStore = new BookStore(venue, (contract) =>
    reasons.push(store.get(contract)?.invalidReason ?? 'valid'),
  );
  const contracts = [...new Set(names)];
  for (const contract of contracts) store.track(contract, runtime.marketNow());
  const invalidWith = (reason: InvalidReason | null) =>
    contracts.filter((one) => store.get(one)?.invalidReason === reason);
  const validCount = () => invalidWith(null).length;
  return {
    feed: make(store, runtime),
    store,
    contracts,
    reasons,
    validCount,
    allValid: () => validCount() === contracts.length,
    invalidWith,
    runtime,
  };
}
