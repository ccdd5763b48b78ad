import { readFileSync } from 'node:fs';
import type { Doubt } from '../../functions/ingest/books/book_store.ts';
import { Shelf } from '../../functions/ingest/books/book_store.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import type { BookFeed } from '../../functions/ingest/feeds/feed.ts';
import { RestClient } from '../../functions/ingest/feeds/rest.ts';
import { VenueAFeed, type VenueAFeedOptions } from '../../functions/ingest/venue_a/feed.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { VenueBFeed, type VenueBFeedOptions } from '../../functions/ingest/venue_b/feed.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { waitUntil } from '../support/wait_until.ts';
import type { Running, Truth } from '../venue_simulator/running.ts';
import { around, watched } from './around.ts';
import { nodeSocket } from './node_socket.ts';

/** One venue's real feed on the simulator's real sockets and REST, without a database, and what its shelf said. */
export type Staged<Feed extends BookFeed> = {
  feed: Feed;
  shelf: Shelf;
  contracts: string[];
  /** Every doubt, or 'believed', in the order in which the shelf said so. */
  doubts: string[];
  /** How many books are believed now. */
  believed(): number;
  /** Contracts in this doubt now. */
  inDoubt(why: Doubt): string[];
  world: ReturnType<typeof watched>;
};

const client = (base: string): RestClient =>
  new RestClient({ base, around, bucket: new TokenBucket(500, 500, around), attempts: 2, timeoutMs: 2_000 });

/** Legs of the truth, the last ones first: 300 of them are enough for several hundred books. */
export const legsOf = (truth: Truth, count = 300) => truth.pairs.flatMap((pair) => pair.outcomes).slice(-count);

export async function stageA(
  venues: Running,
  tickers: readonly string[],
  options: Partial<VenueAFeedOptions> & { wait?: boolean } = {},
): Promise<Staged<VenueAFeed>> {
  const { rest, ws, key_id, private_key_file } = venues.listening.venue_a;
  const sign = await signerOf(key_id, readFileSync(private_key_file, 'utf8'), Date.now);
  const { wait, ...more } = options;
  return begin('venue_a', tickers, wait ?? true, (shelf, world) => {
    const socket = { url: ws, make: nodeSocket, sign };
    return new VenueAFeed({ shelf, rest: new VenueARest(client(rest)), around: world, socket, ...more });
  });
}

export async function stageB(
  venues: Running,
  tokens: readonly string[],
  options: Partial<VenueBFeedOptions> & { wait?: boolean } = {},
): Promise<Staged<VenueBFeed>> {
  const { gamma, clob, ws } = venues.listening.venue_b;
  const { wait, ...more } = options;
  return begin('venue_b', tokens, wait ?? true, (shelf, world) => {
    const rest = new VenueBRest(client(gamma), client(clob));
    return new VenueBFeed({
      shelf,
      rest,
      around: world,
      socket: { url: ws, make: nodeSocket },
      quietMs: 1_500,
      ...more,
    });
  });
}

async function begin<Feed extends BookFeed>(
  venue: 'venue_a' | 'venue_b',
  names: readonly string[],
  wait: boolean,
  make: (shelf: Shelf, world: ReturnType<typeof watched>) => Feed,
): Promise<Staged<Feed>> {
  const doubts: string[] = [];
  const shelf: Shelf = new Shelf(venue, (contract) => doubts.push(shelf.get(contract)?.doubt ?? 'believed'));
  const contracts = [...new Set(names)];
  for (const contract of contracts) shelf.want(contract, Date.now());
  const world = watched();
  const feed = make(shelf, world);
  const inDoubt = (why: Doubt | null) => contracts.filter((one) => shelf.get(one)?.doubt === why);
  const staged = { feed, shelf, contracts, doubts, believed: () => inDoubt(null).length, inDoubt, world };
  feed.start();
  if (wait) {
    try {
      await waitUntil(() => staged.believed() === contracts.length, { what: `all books of ${venue}` });
    } catch (error) {
      await feed.stop();
      throw error;
    }
    doubts.length = 0;
  }
  return staged;
}
