import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { SimulatorOptions } from './args.ts';
import { baseTimeIn } from './base_time.ts';
import { type ClockSegment, marketTimeAt } from './core/market_clock.ts';
import { systemRuntime } from './core/runtime.ts';
import { serveVenue } from './core/venue_server.ts';
import type { Faults } from './faults/faults.ts';
import { recordedMarket, Simulator, simulatedMarket } from './simulator.ts';
import { nextGamesIn, questionsIn, universeOf } from './universe/universe.ts';
import { accessKeyIn } from './venue_a/keys.ts';
import { REST_PATH, WS_PATH as WS_PATH_A } from './venue_a/venue.ts';
import { WS_PATH as WS_PATH_B } from './venue_b/venue.ts';
import type { World } from './world/world.ts';

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

/** Starts both venues and returns their addresses. */
export async function serve(settings: SimulatorOptions, runtime = systemRuntime): Promise<RunningSimulator> {
  const folder = join(settings.data, 'venues');
  const { seed, games, listings, past, replay, clock: segments, host } = settings;
  const now = Math.round(marketTimeAt(segments, runtime.clock.now()));
  const listed = () => {
    const universe = universeOf(seed, baseTimeIn(folder, seed, games, now), games);
    const questions = listings === 'all' ? questionsIn(universe) : nextGamesIn(universe);
    return { universe, questions, past, now };
  };
  const market = replay ? recordedMarket(replay, now) : simulatedMarket(listed(), runtime);
  const key = accessKeyIn(folder);
  const faults = replay ? 'none' : settings.faults;
  const simulator = new Simulator({ market, faults, key, tokens: settings.tokens, segments }, runtime);
  const a = serveVenue(simulator.a, runtime);
  const b = serveVenue(simulator.b, runtime);
  const stop = () => {
    simulator.stop();
    a.stop();
    b.stop();
  };
  const listening = Promise.all([listen(a.server, settings.portA, host), listen(b.server, settings.portB, host)]);
  const [portA, portB] = await listening.catch((error: unknown) => {
    stop();
    throw error;
  });
  return {
    listening: {
      venue_a: {
        rest: `http://${host}:${portA}${REST_PATH}`,
        ws: `ws://${host}:${portA}${WS_PATH_A}`,
        key_id: key.id,
        private_key_file: key.privateKeyFile,
      },
      venue_b: {
        gamma: `http://${host}:${portB}/gamma`,
        clob: `http://${host}:${portB}/clob`,
        data: `http://${host}:${portB}/data`,
        ws: `ws://${host}:${portB}${WS_PATH_B}`,
      },
      source: replay ? 'replay' : 'simulated',
    },
    faults: simulator.faults,
    world: simulator.world,
    setClock: (changed) => simulator.setClock(changed),
    stop,
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}
