import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { toldOf } from './arbitrage/true_window_json.ts';
import type { Settings } from './args.ts';
import { baseTimeIn } from './base_time.ts';
import { controlOf, type Telling } from './control.ts';
import { type ClockSegment, marketTimeAt } from './core/market_clock.ts';
import { Traps, type WorldTraps } from './faults/traps.ts';
import { openRecording } from './replay/recording.ts';
import { Counting } from './settled_history/counting.ts';
import { universeOf } from './universe/universe.ts';
import { accessKeyIn } from './venue_a/keys.ts';
import { REST_PATH, venueA, WS_PATH as WS_PATH_A } from './venue_a/server.ts';
import type { SourceA } from './venue_a/source.ts';
import { venueB, WS_PATH as WS_PATH_B } from './venue_b/server.ts';
import type { SourceB } from './venue_b/source.ts';
import { truthOf } from './world/ground_truth.ts';
import { sourceOfA, sourceOfB } from './world/sources.ts';
import { World } from './world/world.ts';
import { worldTrapsOf } from './world/world_traps.ts';

/** The market moves in steps of this much real time. */
const STEP_MS = 50;

export type Listening = {
  venue_a: { rest: string; ws: string; key_id: string; private_key_file: string };
  venue_b: { gamma: string; clob: string; ws: string };
  source: 'simulated' | 'replay';
};

export type Served = {
  listening: Listening;
  traps: Traps;
  world: World | null;
  setClock(segments: readonly ClockSegment[]): void;
  stop(): void;
};

type Stage = {
  a: SourceA;
  b: SourceB;
  advance(t: number): void;
  tell: Telling;
  traps: WorldTraps;
  world: World | null;
  stop(): void;
};

/** Starts both venues and answers where they listen. */
export async function serve(settings: Settings): Promise<Served> {
  const folder = join(settings.data, 'venues');
  let clock = settings.clock;
  const now = () => Math.round(marketTimeAt(clock, Date.now()));
  const stage = settings.replay ? replayStage(settings.replay, now()) : worldStage(settings, folder, now());
  const traps = new Traps(settings.replay ? 'none' : settings.traps, stage.traps);
  const key = accessKeyIn(folder);
  const a = venueA(stage.a, traps, key, settings.tokens, controlOf(stage.a, stage.b, traps, stage.tell));
  const b = venueB(stage.b, traps);
  const portA = await listen(a.server, settings.portA);
  const portB = await listen(b.server, settings.portB);
  const steps = setInterval(() => stage.advance(now()), STEP_MS);
  traps.start();
  return {
    listening: {
      venue_a: {
        rest: `http://127.0.0.1:${portA}${REST_PATH}`,
        ws: `ws://127.0.0.1:${portA}${WS_PATH_A}`,
        key_id: key.id,
        private_key_file: key.privateKeyFile,
      },
      venue_b: {
        gamma: `http://127.0.0.1:${portB}/gamma`,
        clob: `http://127.0.0.1:${portB}/clob`,
        ws: `ws://127.0.0.1:${portB}${WS_PATH_B}`,
      },
      source: settings.replay ? 'replay' : 'simulated',
    },
    traps,
    world: stage.world,
    setClock(segments) {
      clock = segments;
    },
    stop() {
      clearInterval(steps);
      stage.stop();
      traps.stop();
      a.stop();
      b.stop();
    },
  };
}

function worldStage(settings: Settings, folder: string, now: number): Stage {
  const base = baseTimeIn(folder, settings.seed, settings.games, now);
  const world = new World(universeOf(settings.seed, base, settings.games), now);
  const counting = new Counting(world.universe);
  return {
    a: sourceOfA(world),
    b: sourceOfB(world),
    advance: (t) => world.advance(t),
    tell: {
      truth: () => truthOf(world),
      windows: (since) => world.arbitrage.since(since).map(toldOf),
      history: () => counting.told(),
    },
    traps: worldTrapsOf(world),
    world,
    stop: () => counting.stop(),
  };
}

function replayStage(folder: string, now: number): Stage {
  const recording = openRecording(folder, now);
  return {
    a: recording.a,
    b: recording.b,
    advance: (t) => recording.advance(t),
    tell: {
      truth: () => ({ pairs: [], lookalikes: [], windows: [], note: 'a recording knows no truth' }),
      windows: () => [],
      history: () => ({ from: '', until: '', rows: [] }),
    },
    traps: () => null,
    world: null,
    stop: () => {},
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
