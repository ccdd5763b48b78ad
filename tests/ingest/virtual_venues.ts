import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import type { SocketFactory } from '../../functions/_shared/reconnecting_socket.ts';
import { backoffDelay, type Runtime } from '../../functions/_shared/runtime.ts';
import { MarketClock } from '../../functions/ingest/clock.ts';
import { type Signer, signerOf } from '../../functions/ingest/venue_a/sign.ts';
import type { FaultRequest } from '../../local/venue_simulator/faults/faults.ts';
import { NO_CHANGES } from '../../local/venue_simulator/settled_past/changes.ts';
import { Simulator, simulatedMarket } from '../../local/venue_simulator/simulator.ts';
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

  constructor({ seed = 1, games = 20, rate = 1, tokens = 4_000 }: VirtualVenuesOptions = {}) {
    const { now, sleep, random } = this.time;
    this.runtime = { fetch: this.network.fetch, now, sleep, random };
    const start = now();
    const segments = [{ real_from: start, market_from: start, rate }];
    this.clock.set(segments);
    const outside = { clock: this.time, random: seededRandom('faults'), log: () => {} };
    const market = simulatedMarket({ seed, games, base: start, now: start, past: NO_CHANGES }, outside);
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

  /** Legs of pairs, the last ones first. 300 of them are enough for several hundred books. */
  legs(count = 300): Truth['pairs'][number]['outcomes'] {
    return this.truth.pairs.flatMap((pair) => pair.outcomes).slice(-count);
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
