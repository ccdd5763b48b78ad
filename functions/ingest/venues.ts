import type { SocketMaker } from '../_shared/socket.ts';
import type { Engine } from './engine/engine.ts';
import { TokenBucket } from './feeds/bucket.ts';
import type { BookFeed, FeedSurroundings } from './feeds/feed.ts';
import { RestClient } from './feeds/rest.ts';
import { type ListingReader, venueAReader, venueBReader } from './readers.ts';
import type { Settings } from './settings.ts';
import { VenueAFeed } from './venue_a/feed.ts';
import type { AskQuestions as AskVenueA } from './venue_a/listing.ts';
import { RATE_WITH_KEY, RATE_WITHOUT_KEY, VenueARest } from './venue_a/rest.ts';
import { type Signer, signerOf } from './venue_a/sign.ts';
import { VenueBFeed } from './venue_b/feed.ts';
import type { AskQuestions as AskVenueB } from './venue_b/listing.ts';
import { CLOB_RATE, GAMMA_RATE, VenueBRest } from './venue_b/rest.ts';

export type Parsers = { venue_a: AskVenueA; venue_b: AskVenueB };

/** One venue as a shift uses it. `listings` makes a reader, for those who read them. */
export type Venue = { feed: BookFeed; listings(parsers: Parsers): ListingReader };

export type VenueParts = {
  settings: Settings;
  engine: Engine;
  around: { venue_a: FeedSurroundings; venue_b: FeedSurroundings };
  make: SocketMaker;
  signal: AbortSignal;
  /** Silence of a contract after which its book is compared with REST. */
  quietMs: number;
};

/** Both venues, from the settings: the only place that knows which venue is read how. */
export async function openVenues(parts: VenueParts): Promise<{ venue_a: Venue; venue_b: Venue }> {
  const { settings, engine, around, make, signal } = parts;
  const recorded = settings.source === 'replay';
  const sign = await venueASigner(settings, around.venue_a);
  const rate = sign ? RATE_WITH_KEY : RATE_WITHOUT_KEY;
  const restA = new VenueARest(
    new RestClient({
      base: settings.venueA.rest,
      around: around.venue_a,
      // Twice the rate at once is what the venue's own bucket holds; half a second of it leaves room for a second reader.
      bucket: new TokenBucket(rate, Math.ceil(rate / 2), around.venue_a),
      signal,
      timeoutMs: 20_000,
      ...(sign ? { sign } : {}),
    }),
  );
  const client = (base: string, perSecond: number): RestClient =>
    new RestClient({
      base,
      around: around.venue_b,
      bucket: new TokenBucket(perSecond, perSecond, around.venue_b),
      signal,
      timeoutMs: 20_000,
    });
  const restB = new VenueBRest(client(settings.venueB.gamma, GAMMA_RATE), client(settings.venueB.clob, CLOB_RATE));
  const time = (venue: FeedSurroundings) => ({ now: () => new Date(venue.shown()).toISOString(), recorded });
  return {
    venue_a: {
      feed: new VenueAFeed({
        shelf: engine.a,
        rest: restA,
        around: around.venue_a,
        socket: sign ? { url: settings.venueA.socket, make, sign } : null,
        quietMs: parts.quietMs,
      }),
      listings: (parsers) => venueAReader(restA, parsers.venue_a, time(around.venue_a)),
    },
    venue_b: {
      feed: new VenueBFeed({
        shelf: engine.b,
        rest: restB,
        around: around.venue_b,
        socket: { url: settings.venueB.socket, make },
        quietMs: parts.quietMs,
      }),
      listings: (parsers) => venueBReader(restB, parsers.venue_b, time(around.venue_b)),
    },
  };
}

/** A key that cannot be read must not stop the other venue: books are then polled, and the log says why. */
async function venueASigner(settings: Settings, around: FeedSurroundings): Promise<Signer | null> {
  const { keyId, privateKey } = settings.venueA;
  if (!keyId || !privateKey) return null;
  try {
    return await signerOf(keyId, privateKey, around.now);
  } catch (error) {
    around.log(`the key of venue_a cannot be used, books are polled: ${String(error)}`);
    return null;
  }
}
