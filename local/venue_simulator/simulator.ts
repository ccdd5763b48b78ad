import { trueOpportunityJson } from './arbitrage/true_opportunity_json.ts';
import { controlOf, type ScenarioInfo } from './control.ts';
import type { Cancel } from './core/clock.ts';
import { json } from './core/http.ts';
import { type ClockSegment, marketTimeAt } from './core/market_clock.ts';
import type { Runtime } from './core/runtime.ts';
import type { Venue } from './core/venue.ts';
import { Faults, type WorldFaults } from './faults/faults.ts';
import { openRecording } from './replay/recording.ts';
import type { PastChanges } from './settled_past/changes.ts';
import { pastTruth } from './settled_past/past_truth.ts';
import { SettledPast } from './settled_past/settled_past.ts';
import type { Questions, Universe } from './universe/universe.ts';
import type { PublicAccessKey } from './venue_a/keys.ts';
import type { SourceA } from './venue_a/source.ts';
import { venueA } from './venue_a/venue.ts';
import type { SourceB } from './venue_b/source.ts';
import { venueB } from './venue_b/venue.ts';
import { truthOf } from './world/ground_truth.ts';
import { sourceOfA, sourceOfB } from './world/sources.ts';
import { World } from './world/world.ts';
import { worldFaultsOf } from './world/world_faults.ts';

/** Real time between two steps of the market. */
export const STEP_MS = 50;

/** What both venues list and trade: a simulated world, or a recording. */
export type Market = {
  a: SourceA;
  b: SourceB;
  /** A recording has no settled past. */
  past: SettledPast | null;
  advance(t: number): void;
  scenario: ScenarioInfo;
  faults: WorldFaults;
  world: World | null;
};

export type SimulatedMarketOptions = {
  universe: Universe;
  questions: Questions;
  /** Market time at the start. */
  now: number;
  /** Differences of the settled past. */
  past: PastChanges;
};

export function simulatedMarket(
  { universe, questions, now, past: changes }: SimulatedMarketOptions,
  { clock }: Runtime,
): Market {
  const world = new World(universe, now, questions);
  const past = new SettledPast(world.universe, () => world.t, changes, clock);
  return {
    a: sourceOfA(world),
    b: sourceOfB(world, past),
    past,
    advance: (t) => world.advance(t),
    scenario: {
      truth: () => truthOf(world),
      opportunities: (since) => world.arbitrage.opportunitiesSince(since).map(trueOpportunityJson),
      past: (query) => pastTruth(past, world.known(), query),
    },
    faults: worldFaultsOf(world),
    world,
  };
}

export function recordedMarket(folder: string, now: number): Market {
  const recording = openRecording(folder, now);
  return {
    a: recording.a,
    b: recording.b,
    past: null,
    advance: (t) => recording.advance(t),
    scenario: {
      truth: () => ({ pairs: [], lookalikes: [], planned_opportunities: [], note: 'a recording has no ground truth' }),
      opportunities: () => [],
      past: async () => json({ from: '', until: '', rows: [] }),
    },
    faults: () => null,
    world: null,
  };
}

export type SimulatorParts = {
  market: Market;
  /** The set of faults that are injected at random. */
  faults: string;
  key: PublicAccessKey;
  /** Read tokens per second of venue A; a request costs 10. */
  tokens: number;
  segments: readonly ClockSegment[];
};

/** Both venues on one market, without servers. */
export class Simulator {
  readonly a: Venue;
  readonly b: Venue;
  readonly faults: Faults;
  readonly world: World | null;
  #segments: readonly ClockSegment[];
  readonly #stops: Cancel[];

  constructor({ market, faults, key, tokens, segments }: SimulatorParts, runtime: Runtime) {
    this.#segments = segments;
    this.world = market.world;
    this.faults = new Faults(faults, market.faults, runtime);
    const control = controlOf(market.a, market.b, this.faults, market.scenario);
    const a = venueA(market.a, market.past, this.faults, key, tokens, control, runtime);
    this.a = a;
    this.b = venueB(market.b, market.past, this.faults, runtime);
    const { clock } = runtime;
    const step = () => market.advance(Math.round(marketTimeAt(this.#segments, clock.now())));
    this.#stops = [clock.every(STEP_MS, step), () => this.faults.stop(), () => a.stop()];
    this.faults.start();
  }

  setClock(segments: readonly ClockSegment[]): void {
    this.#segments = segments;
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
