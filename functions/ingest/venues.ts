import type { SocketFactory } from '../_shared/reconnecting_socket.ts';
import { settledReaderA } from './backtest/settled_a.ts';
import { settledReaderB } from './backtest/settled_b.ts';
import type { SettledReader } from './backtest/source.ts';
import type { Engine } from './engine/engine.ts';
import { TokenBucket } from './feeds/bucket.ts';
import type { BookFeed, FeedRuntime } from './feeds/feed.ts';
import { RestClient, type RestOptions } from './feeds/rest.ts';
import type { ConfirmedAlias, ConfirmedLeague, Ignored } from './identity/names/registry_overlay.ts';
import type { ListedEvent } from './listing.ts';
import { type ListingReader, venueAReader, venueBReader } from './readers.ts';
import type { Settings } from './settings.ts';
import { AccessKey } from './venue_a/access_key.ts';
import { VenueAFeed } from './venue_a/feed.ts';
import type { QuestionParser as QuestionParserA } from './venue_a/listing.ts';
import { RATE_WITH_KEY_PER_SECOND, RATE_WITHOUT_KEY_PER_SECOND, VenueARest } from './venue_a/rest.ts';
import { signerOf } from './venue_a/sign.ts';
import { VenueBFeed } from './venue_b/feed.ts';
import type { QuestionParser as QuestionParserB } from './venue_b/listing.ts';
import { CLOB_RATE_PER_SECOND, DATA_RATE_PER_SECOND, GAMMA_RATE_PER_SECOND, VenueBRest } from './venue_b/rest.ts';

export type Parsers = {
  venue_a: QuestionParserA;
  venue_b: QuestionParserB;
  /** Adds the forms of the contracts' texts to the questions of a settled event. */
  addTextForms(event: ListedEvent): void;
  /** Replaces the confirmed aliases (identity/names/registry.ts). */
  applyAliases(version: number, rows: readonly ConfirmedAlias[]): { ignored: readonly Ignored[] };
  /** Replaces the confirmed leagues. */
  applyLeagues(version: number, leagues: readonly ConfirmedLeague[]): { ignored: readonly Ignored[] };
};

/**
 * One venue as a worker uses it. `listings` creates the reader of its open listings, `settled` that
 * of its settled history.
 */
export type Venue = {
  feed: BookFeed;
  listings(parsers: Parsers): ListingReader;
  settled(parsers: Parsers): SettledReader;
};

export type OpenVenuesOptions = {
  settings: Settings;
  engine: Engine;
  runtimes: { venue_a: FeedRuntime; venue_b: FeedRuntime };
  openSocket: SocketFactory;
  signal: AbortSignal;
  /** A contract without changes for this long is compared with REST. */
  quietMs: number;
  /** Receives the length of each response of a venue, in characters. */
  onBody?: ((characters: number) => void) | undefined;
};

/** Opens both venues from the settings. Only this function knows how each venue is read. */
export async function openVenues(options: OpenVenuesOptions): Promise<{ venue_a: Venue; venue_b: Venue }> {
  const { settings, engine, runtimes, openSocket, signal, onBody } = options;
  const recorded = settings.source === 'replay';
  const { key, problem } = await venueAKey(settings, runtimes.venue_a);
  const rate = key ? RATE_WITH_KEY_PER_SECOND : RATE_WITHOUT_KEY_PER_SECOND;
  // The venue's bucket holds a burst of two seconds. Half a second leaves room for a second worker.
  const bucket = new TokenBucket(rate, Math.ceil(rate / 2), runtimes.venue_a);
  const restA = new VenueARest(
    new RestClient({
      base: settings.venueA.rest,
      runtime: runtimes.venue_a,
      bucket,
      signal,
      onBody,
      timeoutMs: 20_000,
      ...(key ? { sign: (method: string, path: string) => key.headers(method, path) } : {}),
    }),
    { key, burst: bucket.burst, now: runtimes.venue_a.now, log: runtimes.venue_a.log },
  );
  const client = (base: string, perSecond: number, more: Partial<RestOptions> = {}): RestClient =>
    new RestClient({
      base,
      runtime: runtimes.venue_b,
      bucket: new TokenBucket(perSecond, perSecond, runtimes.venue_b),
      signal,
      onBody,
      timeoutMs: 20_000,
      ...more,
    });
  const restB = new VenueBRest(
    client(settings.venueB.gamma, GAMMA_RATE_PER_SECOND),
    client(settings.venueB.clob, CLOB_RATE_PER_SECOND),
    // Listings wait for resolutions, so an outage of the data API must not take minutes.
    client(settings.venueB.data, DATA_RATE_PER_SECOND, { timeoutMs: 5_000, attempts: 2 }),
  );
  const context = (venue: FeedRuntime) => ({
    now: () => new Date(venue.marketNow()).toISOString(),
    recorded,
    unknown: venue.unknown,
  });
  return {
    venue_a: {
      feed: new VenueAFeed({
        store: engine.a,
        rest: restA,
        runtime: runtimes.venue_a,
        socket: key ? { url: settings.venueA.socket, make: openSocket, key } : null,
        keyProblem: problem,
        indexOf: (ticker) => engine.watchList.exchangeIndexOf(ticker),
        quietMs: options.quietMs,
      }),
      listings: (parsers) => venueAReader(restA, parsers.venue_a, context(runtimes.venue_a)),
      settled: (parsers) => settledReaderA(restA, parsers, context(runtimes.venue_a).now),
    },
    venue_b: {
      feed: new VenueBFeed({
        store: engine.b,
        rest: restB,
        runtime: runtimes.venue_b,
        socket: { url: settings.venueB.socket, make: openSocket },
        quietMs: options.quietMs,
      }),
      listings: (parsers) => venueBReader(restB, parsers.venue_b, context(runtimes.venue_b)),
      settled: (parsers) => settledReaderB(restB, parsers, context(runtimes.venue_b).now),
    },
  };
}

/**
 * A key that cannot be used must not stop the other venue. The books are then polled. The log has
 * the reason, and `/health` names the problem.
 */
async function venueAKey(
  settings: Settings,
  runtime: FeedRuntime,
): Promise<{ key: AccessKey | null; problem: string | null }> {
  const { keyId, privateKey } = settings.venueA;
  if (!keyId || !privateKey) return { key: null, problem: null };
  try {
    const sign = await signerOf(keyId, privateKey, runtime.now);
    return { key: new AccessKey({ sign, now: runtime.now }), problem: null };
  } catch (error) {
    runtime.log(`venue_a: the key cannot be used, so the feed polls books: ${String(error)}`);
    return { key: null, problem: 'key unreadable' };
  }
}
