import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { backoffDelay, type Runtime } from '../../functions/_shared/runtime.ts';
import { MarketClock } from '../../functions/ingest/clock.ts';
import { type Signer, signerOf } from '../../functions/ingest/venue_a/sign.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { NO_CHANGES } from '../../local/venue_simulator/settled_past/changes.ts';
import { Simulator, simulatedMarket } from '../../local/venue_simulator/simulator.ts';
import {
  type DayOfQuestions,
  type Questions,
  questionsOf,
  type Universe,
  undatedQuestions,
  universeOf,
} from '../../local/venue_simulator/universe/universe.ts';
import { REST_PATH, WS_PATH as WS_PATH_A } from '../../local/venue_simulator/venue_a/venue.ts';
import { WS_PATH as WS_PATH_B } from '../../local/venue_simulator/venue_b/venue.ts';
import { truthOf } from '../../local/venue_simulator/world/ground_truth.ts';
import type { World } from '../../local/venue_simulator/world/world.ts';
import { VirtualNetwork } from '../support/virtual_network.ts';
import { seededRandom, VirtualTime } from '../support/virtual_time.ts';
import type { Truth } from '../venue_simulator/fixture.ts';
import {
  type FeedAOptions,
  type FeedBOptions,
  type FeedFixture,
  feedA,
  feedB,
  type VenueAccess,
} from './feed_fixture.ts';

const HOST_A = 'venue-a.test';
const HOST_B = 'venue-b.test';

/**
 * When the handshakes of the only socket are that lost its connection, ms after the loss: with the
 * jitter of a run in which nothing else has waited with jitter yet.
 */
export function handshakesAfterLoss(count: number): number[] {
  const random = seededRandom('jitter');
  let ms = 0;
  return Array.from({ length: count }, (_, attempt) => {
    // The waits of `ReconnectingSocket`.
    ms += backoffDelay(attempt, 200, 15_000, random);
    return ms;
  });
}

/** A short key, because a test waits for each signature. */
const keyId = 'key';
const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 1_024,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

const known = new Map<string, { universe: Universe; questions: Questions }>();

/** What both venues can list. It is generated once for all tests that use the same universe. */
function listingsOf(seed: number, games: number, base: number): { universe: Universe; questions: Questions } {
  const key = `${seed} ${games} ${base}`;
  const listings = known.get(key);
  if (listings) return listings;
  const universe = universeOf(seed, base, games);
  const [undated, days] = [undatedQuestions(universe), new Map<number, DayOfQuestions>()];
  const made = {
    universe,
    questions: {
      undated: () => undated,
      ofDay(day: number) {
        const questions = days.get(day) ?? questionsOf(universe, day);
        days.set(day, questions);
        return questions;
      },
    },
  };
  known.set(key, made);
  return made;
}

export type VirtualVenuesOptions = {
  seed?: number;
  games?: number;
  /** Market time runs this many times as fast as virtual time. */
  rate?: number;
  /** Read tokens per second of venue A. */
  tokens?: number;
};

/**
 * Both simulated venues in virtual time, and the way of a feed to them. Two runs of a test see the
 * same market, to the millisecond.
 */
export class VirtualVenues implements VenueAccess {
  readonly time = new VirtualTime();
  readonly network = new VirtualNetwork();
  readonly clock = new MarketClock(this.time.now);
  /** Every message of a socket, at the time of its receipt. */
  readonly frames: { at: number; text: string }[] = [];
  readonly runtime: Runtime;
  readonly simulator: Simulator;
  readonly world: World;
  readonly addresses = {
    venue_a: { rest: `http://${HOST_A}${REST_PATH}`, ws: `ws://${HOST_A}${WS_PATH_A}` },
    venue_b: {
      gamma: `http://${HOST_B}/gamma`,
      clob: `http://${HOST_B}/clob`,
      data: `http://${HOST_B}/data`,
      ws: `ws://${HOST_B}${WS_PATH_B}`,
    },
  };
  readonly openSocket: SocketFactory = (url, headers, on) =>
    this.network.openSocket(url, headers, {
      ...on,
      message: (text) => {
        this.frames.push({ at: this.time.now(), text });
        on.message(text);
      },
    });
  #signer: Promise<Signer> | null = null;

  constructor({ seed = 7, games = 300, rate = 1, tokens = 4_000 }: VirtualVenuesOptions = {}) {
    const { now, sleep, random } = this.time;
    this.runtime = { fetch: this.network.fetch, now, sleep, random };
    const start = now();
    const segments = [{ real_from: start, market_from: start, rate }];
    this.clock.set(segments);
    const outside = { clock: this.time, random: seededRandom('faults'), log: () => {} };
    const market = simulatedMarket({ ...listingsOf(seed, games, start), now: start, past: NO_CHANGES }, outside);
    const key = { id: keyId, publicKey: createPublicKey(publicKey) };
    this.simulator = new Simulator({ market, faults: 'none', key, tokens, segments }, outside);
    if (!this.simulator.world) throw new Error('a simulated market has a world');
    this.world = this.simulator.world;
    this.network.listen(HOST_A, this.simulator.a);
    this.network.listen(HOST_B, this.simulator.b);
  }

  readonly sign: Signer = (method, path) =>
    this.time.outside(async () => {
      this.#signer ??= signerOf(keyId, privateKey, this.time.now);
      return (await this.#signer)(method, path);
    });

  get truth(): Truth {
    return JSON.parse(JSON.stringify(truthOf(this.world))) as Truth;
  }

  /**
   * Legs of the games that begin next, because their books move most. Not too soon, because venue_b
   * removes all orders when a game begins.
   */
  legs(count: number): Truth['pairs'][number]['outcomes'] {
    const { pairs, now } = this.truth;
    return pairs
      .filter(({ start }) => start !== null && start > now + 2_400_000)
      .sort((x, y) => (x.start ?? 0) - (y.start ?? 0))
      .flatMap((pair) => pair.outcomes)
      .slice(0, count);
  }

  /** Injects a fault and returns what it hit. Null: it found no target. */
  inject(request: FaultRequest): string | null {
    return this.simulator.faults.inject(request);
  }

  /** A running feed of venue_a all of whose books are valid. */
  async startA(tickers: readonly string[], options: FeedAOptions = {}) {
    return await this.#start(feedA(this, tickers, options));
  }

  async startB(tokens: readonly string[], options: FeedBOptions = {}) {
    return await this.#start(feedB(this, tokens, options));
  }

  async #start<Fixture extends FeedFixture>(fixture: Fixture): Promise<Fixture> {
    fixture.feed.start();
    await this.time.until(fixture.allValid, { what: 'all books valid', limitMs: 120_000 });
    fixture.reasons.length = 0;
    return fixture;
  }
}
