import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { trueOpportunityJson } from './arbitrage/true_opportunity_json.ts';
import type { SimulatorOptions } from './args.ts';
import { baseTimeIn } from './base_time.ts';
import { controlOf, type ScenarioInfo } from './control.ts';
import { json } from './core/http.ts';
import { type ClockSegment, marketTimeAt } from './core/market_clock.ts';
import { Faults, type WorldFaults } from './faults/faults.ts';
import { openRecording } from './replay/recording.ts';
import { pastTruth } from './settled_past/past_truth.ts';
import { SettledPast } from './settled_past/settled_past.ts';
import { universeOf } from './universe/universe.ts';
import { accessKeyIn } from './venue_a/keys.ts';
import { REST_PATH, venueA, WS_PATH as WS_PATH_A } from './venue_a/server.ts';
import type { SourceA } from './venue_a/source.ts';
import { venueB, WS_PATH as WS_PATH_B } from './venue_b/server.ts';
import type { SourceB } from './venue_b/source.ts';
import { truthOf } from './world/ground_truth.ts';
import { sourceOfA, sourceOfB } from './world/sources.ts';
import { World } from './world/world.ts';
import { worldFaultsOf } from './world/world_faults.ts';

/** Real time between two steps of the market. */
const TIMER_MS = 50;

export type ListeningInfo = {
  venue_a: { rest: string; ws: string; key_id: string; private_key_file: string };
  venue_b: { gamma: string; clob: string; data: string; ws: string };
  source: 'simulated' | 'replay';
};

export type RunningSimulator = {
  listening: ListeningInfo;
  faults: Faults;
  world: World | null;
  setClock(segments: readonly ClockSegment[]): void;
  stop(): void;
};

type VenueSet = {
  a: SourceA;
  b: SourceB;
  /** A recording has no settled past. */
  past: SettledPast | null;
  advance(t: number): void;
  scenario: ScenarioInfo;
  faults: WorldFaults;
  world: World | null;
};

/** Starts both venues and returns their addresses. */
export async function serve(settings: SimulatorOptions): Promise<RunningSimulator> {
  const folder = join(settings.data, 'venues');
  let clock = settings.clock;
  const now = () => Math.round(marketTimeAt(clock, Date.now()));
  const venues = settings.replay ? replayVenues(settings.replay, now()) : simulatedVenues(settings, folder, now());
  const faults = new Faults(settings.replay ? 'none' : settings.faults, venues.faults);
  const key = accessKeyIn(folder);
  const control = controlOf(venues.a, venues.b, faults, venues.scenario);
  const a = venueA(venues.a, venues.past, faults, key, settings.tokens, control);
  const b = venueB(venues.b, venues.past, faults);
  const portA = await listen(a.server, settings.portA, settings.host);
  const portB = await listen(b.server, settings.portB, settings.host);
  const steps = setInterval(() => venues.advance(now()), TIMER_MS);
  faults.start();
  return {
    listening: {
      venue_a: {
        rest: `http://${settings.host}:${portA}${REST_PATH}`,
        ws: `ws://${settings.host}:${portA}${WS_PATH_A}`,
        key_id: key.id,
        private_key_file: key.privateKeyFile,
      },
      venue_b: {
        gamma: `http://${settings.host}:${portB}/gamma`,
        clob: `http://${settings.host}:${portB}/clob`,
        data: `http://${settings.host}:${portB}/data`,
        ws: `ws://${settings.host}:${portB}${WS_PATH_B}`,
      },
      source: settings.replay ? 'replay' : 'simulated',
    },
    faults,
    world: venues.world,
    setClock(segments) {
      clock = segments;
    },
    stop() {
      clearInterval(steps);
      faults.stop();
      a.stop();
      b.stop();
    },
  };
}

function simulatedVenues(settings: SimulatorOptions, folder: string, now: number): VenueSet {
  const base = baseTimeIn(folder, settings.seed, settings.games, now);
  const world = new World(universeOf(settings.seed, base, settings.games), now);
  const past = new SettledPast(world.universe, () => world.t, settings.past);
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

function replayVenues(folder: string, now: number): VenueSet {
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

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
