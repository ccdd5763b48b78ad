import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { pause } from '../../support/wait_until.ts';
import { median, progress } from '../measure.ts';
import { framesWithMarker, markerOf } from '../stream/frames.ts';
import type { BenchCluster } from './cluster.ts';
import { bareLoop, type Contender, nodesOf, type Setting, streamFunction } from './contenders.ts';
import { within } from './listeners.ts';
import { cpuOf } from './usage.ts';

/** As the stream function sends them. */
const FRAMES_PER_TEXT = 100;
/** As Centrifugo sends them at most. */
const FRAMES_PER_SHORT_TEXT = 16;

export type FanoutOptions = { clients: number; frames: number; rounds: number };

/** What one carrier took for a round, and its memory. */
export type FanoutResult = {
  /** The shortest time from the commit, or from the broadcast, to the last client. */
  wallMs: number;
  /** CPU of the servers and of the clients in a round, median. */
  serverCpuMs: number;
  clientCpuMs: number;
  /** Anonymous memory of the servers, MB: without clients, and with all of them before a round. */
  emptyMb: number;
  connectedMb: number;
};
export const fanoutNames = ['bare', 'bare16', 'embedded', 'oneNode', 'twoNodes'] as const;
export type FanoutName = (typeof fanoutNames)[number];

type Round = { wallMs: number; serverCpuMs: number; clientCpuMs: number };

/** Every carrier with the same clients and frames, in turns. */
export async function measureFanouts(
  scratch: TemporaryPostgres,
  template: string,
  clusters: { oneNode: BenchCluster; twoNodes: BenchCluster },
  options: FanoutOptions,
): Promise<Record<FanoutName, FanoutResult>> {
  const setting: Setting = { scratch, template, clients: options.clients, closing: [] };
  try {
    const contenders: Record<FanoutName, Contender> = {
      bare: await bareLoop(setting, FRAMES_PER_TEXT),
      bare16: await bareLoop(setting, FRAMES_PER_SHORT_TEXT),
      embedded: await streamFunction(setting, FRAMES_PER_TEXT),
      oneNode: await nodesOf(setting, clusters.oneNode),
      twoNodes: await nodesOf(setting, clusters.twoNodes),
    };
    return await roundsOf(contenders, options);
  } finally {
    for (const close of setting.closing.reverse()) await close();
  }
}

async function roundsOf(
  contenders: Record<FanoutName, Contender>,
  { frames, rounds }: FanoutOptions,
): Promise<Record<FanoutName, FanoutResult>> {
  const taken = Object.fromEntries(fanoutNames.map((name) => [name, [] as Round[]])) as Record<FanoutName, Round[]>;
  let sequence = 0;
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of fanoutNames) {
      progress(`fan-out, round ${round} of ${rounds}: ${name}`);
      sequence += 1;
      const one = await roundOf(contenders[name], framesWithMarker(frames, sequence), markerOf(sequence));
      if (round > 0) taken[name].push(one);
      await pause(500);
    }
  }
  const results = fanoutNames.map((name) => {
    const { emptyMb, connectedMb } = contenders[name];
    const result: FanoutResult = {
      wallMs: Math.min(...taken[name].map(({ wallMs }) => wallMs)),
      serverCpuMs: median(taken[name].map(({ serverCpuMs }) => serverCpuMs)),
      clientCpuMs: median(taken[name].map(({ clientCpuMs }) => clientCpuMs)),
      emptyMb,
      connectedMb,
    };
    return [name, result];
  });
  return Object.fromEntries(results) as Record<FanoutName, FanoutResult>;
}

async function roundOf({ pids, clients, publish }: Contender, frames: string[], marker: string): Promise<Round> {
  const { done } = await clients.awaitLast(marker);
  const [serverBefore, clientBefore] = [cpuOf(pids), cpuOf([clients.pid])];
  const from = await publish(frames);
  const wallMs = (await within(done, 120_000, 'a round')) - from;
  return { wallMs, serverCpuMs: cpuOf(pids) - serverBefore, clientCpuMs: cpuOf([clients.pid]) - clientBefore };
}
