import { readFileSync } from 'node:fs';
import type { InvalidReason } from '../../functions/ingest/books/book_store.ts';
import { BookStore } from '../../functions/ingest/books/book_store.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import { RestClient, type RestOptions } from '../../functions/ingest/feeds/rest.ts';
import { AccessKey } from '../../functions/ingest/venue_a/access_key.ts';
import { VenueAFeed, type VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { VenueBFeed, type VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { waitUntil } from '../support/wait_until.ts';
import type { RunningVenues, Truth } from '../venue_simulator/fixture.ts';
import { nodeSocket } from './node_socket.ts';
import { recordingRuntime, runtime } from './runtime.ts';

/**
 * The feed of one venue on the simulator's sockets and REST, without a database, with the recorded
 * changes of its book store.
 */
export type FeedFixture<Feed extends BookFeed> = {
  feed: Feed;
  store: BookStore;
  contracts: string[];
  /** Every invalid reason, or 'valid', in the order of the changes. */
  reasons: string[];
  /** Number of valid books now. */
  validCount(): number;
  /** Contracts that are invalid for this reason now. */
  invalidWith(reason: InvalidReason): string[];
  runtime: ReturnType<typeof recordingRuntime>;
};

const client = (base: string, more: Partial<RestOptions> = {}): RestClient =>
  new RestClient({ base, runtime, bucket: new TokenBucket(500, 500, runtime), attempts: 2, timeoutMs: 2_000, ...more });

/**
 * Legs of the ground truth, the last ones first. 300 of them are enough for several hundred books.
 */
export const legsOf = (truth: Truth, count = 300) => truth.pairs.flatMap((pair) => pair.outcomes).slice(-count);

export async function startFeedA(
  venues: RunningVenues,
  tickers: readonly string[],
  options: Partial<VenueAFeedOptions> & { wait?: boolean; keyRetryMs?: number; burst?: number } = {},
): Promise<FeedFixture<VenueAFeed>> {
  const { rest: base, ws, key_id, private_key_file } = venues.listening.venue_a;
  const sign = await signerOf(key_id, readFileSync(private_key_file, 'utf8'), Date.now);
  const { wait, keyRetryMs, burst, ...more } = options;
  const key = new AccessKey({ sign, now: Date.now, ...(keyRetryMs === undefined ? {} : { retryMs: keyRetryMs }) });
  return startFeed('venue_a', tickers, wait ?? true, (store, runtime) => {
    const signed = client(base, { sign: (method, path) => key.headers(method, path) });
    const rest = new VenueARest(signed, { key, burst: burst ?? 500, log: runtime.log });
    return new VenueAFeed({ store, rest, runtime, socket: { url: ws, make: nodeSocket, key }, ...more });
  });
}

export async function startFeedB(
  venues: RunningVenues,
  tokens: readonly string[],
  options: Partial<VenueBFeedOptions> & { wait?: boolean } = {},
): Promise<FeedFixture<VenueBFeed>> {
  const { gamma, clob, data, ws } = venues.listening.venue_b;
  const { wait, ...more } = options;
  return startFeed('venue_b', tokens, wait ?? true, (store, runtime) => {
    const rest = new VenueBRest(client(gamma), client(clob), client(data));
    return new VenueBFeed({
      store,
      rest,
      runtime,
      socket: { url: ws, make: nodeSocket },
      quietMs: 1_500,
      ...more,
    });
  });
}

async function startFeed<Feed extends BookFeed>(
  venue: 'venue_a' | 'venue_b',
  names: readonly string[],
  wait: boolean,
  make: (store: BookStore, runtime: ReturnType<typeof recordingRuntime>) => Feed,
): Promise<FeedFixture<Feed>> {
  const reasons: string[] = [];
  const store: BookStore = new BookStore(venue, (contract) =>
    reasons.push(store.get(contract)?.invalidReason ?? 'valid'),
  );
  const contracts = [...new Set(names)];
  for (const contract of contracts) store.track(contract, Date.now());
  const runtime = recordingRuntime();
  const feed = make(store, runtime);
  const invalidWith = (reason: InvalidReason | null) =>
    contracts.filter((one) => store.get(one)?.invalidReason === reason);
  const fixture = { feed, store, contracts, reasons, validCount: () => invalidWith(null).length, invalidWith, runtime };
  feed.start();
  if (wait) {
    try {
      await waitUntil(() => fixture.validCount() === contracts.length, { what: `all books of ${venue}` });
    } catch (error) {
      await feed.stop();
      throw error;
    }
    reasons.length = 0;
  }
  return fixture;
}
