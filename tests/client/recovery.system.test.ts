import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Client } from 'openapi-fetch';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { Paths } from '../../client/src/api_types.ts';
import type { Change } from '../../client/src/live_channel.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { frames, rowsAfterFrames } from './live_frames.ts';
import { type Scenario, type Step, scenarios } from './live_scenarios.ts';

/**
 * Guarantee: the clients in TypeScript and in Python give the same changes for the same events, a
 * gap in the log included, and hold the same rows afterwards.
 */

type Listener = (event: Record<string, unknown>) => void;

/** The SDK: what the client registers and calls, and nothing else. */
type Sdk = { connects: number; state: string; listeners: Map<string, Listener> };
const sdk = { made: [] as Sdk[] };
const fakeSdk = () => ({
  UnauthorizedError: class extends Error {},
  Centrifuge: class {
    readonly listeners = new Map<string, Listener>();
    connects = 0;
    state = 'disconnected';
    constructor() {
      sdk.made.push(this);
    }
    on(name: string, listener: Listener) {
      this.listeners.set(name, listener);
    }
    connect() {
      this.connects += 1;
      this.state = 'connected';
    }
    disconnect() {
      this.state = 'disconnected';
    }
  },
});

// Files of this layer share a process, in which another may have loaded the client before.
let client: typeof import('../../client/src/live_channel.ts') & typeof import('../../client/src/errors.ts');
beforeAll(async () => {
  vi.resetModules();
  vi.doMock('centrifuge', fakeSdk);
  client = { ...(await import('../../client/src/live_channel.ts')), ...(await import('../../client/src/errors.ts')) };
});
afterAll(() => {
  vi.doUnmock('centrifuge');
  vi.resetModules();
});

type Outcome = {
  changes: Change[];
  error: string | null;
  reads: number;
  connects: number;
  markets: object;
  opportunities: object;
  quotes: object[];
  best: object;
  feeds: object;
};

async function runInTypeScript(scenario: Scenario): Promise<Outcome> {
  const { channel, states } = scenario;
  const answers = [...states];
  let reads = 0;
  sdk.made.length = 0;
  const api = {
    POST: async () => ({ data: { ticket: 'st', ws_url: 'ws://test', allowed: { channels: [channel] } } }),
    GET: async () => {
      reads += 1;
      const answer = answers.shift();
      if (answer === undefined || 'status' in answer) throw new client.ParallaxError(Number(answer?.status), {}, null);
      return { data: answer };
    },
  } as unknown as Client<Paths, 'application/json'>;
  const opening = client.LiveChannel.open(api, { channel });
  const opened = opening.catch(() => null);
  for (let ms = 0; sdk.made.length === 0; ms += 1) {
    if (ms === 1_000) throw new Error('The client made no connection with the SDK of the test');
    await vi.advanceTimersByTimeAsync(1);
  }
  const [stream] = sdk.made as [Sdk];
  for (const step of scenario.steps) await send(stream, step, channel);
  const live = await Promise.race([opened, Promise.resolve().then(() => null)]);
  const changes: Change[] = [];
  const error = await opening.then(
    () => null,
    (problem: Error) => problem.message,
  );
  if (live === null) return { ...EMPTY, changes, error, reads, connects: stream.connects };
  const reading = (async () => {
    for await (const change of live) changes.push(change);
  })();
  const ended = reading.then(
    () => null,
    (problem: Error) => problem.message,
  );
  await vi.advanceTimersByTimeAsync(1);
  live.close();
  const { state } = live;
  return {
    ...{ changes, error: await ended, reads, connects: stream.connects },
    markets: Object.fromEntries(state.markets),
    opportunities: Object.fromEntries(state.opportunities),
    quotes: [...state.quotes.values()],
    best: Object.fromEntries(state.best),
    feeds: Object.fromEntries(Object.entries(state.feeds).filter(([, feed]) => feed !== null)),
  };
}

const EMPTY = { markets: {}, opportunities: {}, quotes: [], best: {}, feeds: {} };

async function send(stream: Sdk, step: Step, own: string): Promise<void> {
  const { channel = own } = step;
  const listener = stream.listeners.get(step.do);
  if (step.do === 'subscribed') {
    const { epoch, offset, wasRecovering = false, recovered = false } = step;
    listener?.({ channel, wasRecovering, recovered, streamPosition: { epoch, offset } });
  } else listener?.({ ...step, channel });
  // A second passes between two reads of the state.
  if (!step.atOnce) await vi.advanceTimersByTimeAsync(1_100);
}

function runInPython(all: readonly Scenario[]): Outcome[] {
  const program = join(import.meta.dirname, 'python/drive_live.py');
  const { status, stdout, stderr } = spawnSync('python3', [program, join(repository, 'client/python')], {
    input: JSON.stringify(all),
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Outcome[];
}

const isOldPython = !/ 3\.1[1-9]/.test(spawnSync('python3', ['--version'], { encoding: 'utf8' }).stdout ?? '');
if (isOldPython) console.log('A part of tests/client/recovery is skipped: no Python 3.11 on the PATH.');

const short = (change: Change | Record<string, unknown>) =>
  change.type === 'state'
    ? `state ${change.epoch} ${change.offset}`
    : String((change as { spread_pts: number }).spread_pts);

const inWords = ({ changes, error, reads, connects }: Outcome) => ({
  ...{ changes: changes.map(short), error, reads, connects },
});
const wanted = ({ changes, error = null, reads, connects = 1 }: Scenario) => ({ changes, error, reads, connects });
const everyFrame: Scenario = {
  name: 'applies every type of frame',
  ...{ channel: 'markets:all', changes: [], reads: 1 },
  states: [{ channel: 'markets:all', epoch: 'one', offset: 0, markets: [], opportunities: [] }],
  steps: [
    { do: 'subscribed', epoch: 'one', offset: 0 },
    ...frames.map((data, at): Step => ({ do: 'publication', offset: at + 1, data })),
  ],
};

function expectRowsAfterFrames(outcome: Outcome | undefined): void {
  expect(outcome).toMatchObject(rowsAfterFrames);
  for (const name of ['markets', 'opportunities', 'best', 'feeds'] as const)
    expect(Object.keys(outcome?.[name] ?? {}), name).toEqual(Object.keys(rowsAfterFrames[name]));
}

describe('the client in TypeScript', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  beforeAll(async () => {
    // The client loads it at its first connection, which takes real time.
    await import('../../client/src/node_socket.ts');
  });

  it.each(scenarios)('the client that reads a channel $name', async (scenario) => {
    expect(inWords(await runInTypeScript(scenario))).toEqual(wanted(scenario));
  });

  test('applies every type of frame', async () => {
    expectRowsAfterFrames(await runInTypeScript(everyFrame));
  });
});

describe.skipIf(isOldPython)('the client in Python', () => {
  let outcomes: Outcome[];
  beforeAll(() => {
    outcomes = runInPython([...scenarios, everyFrame]);
  });

  it.each(scenarios.map((scenario, at) => ({ ...scenario, at })))(
    'the client that reads a channel $name',
    ({ at, ...scenario }) => {
      const outcome = outcomes[at];
      expect(outcome && inWords(outcome)).toEqual(wanted(scenario));
    },
  );

  test('applies every type of frame', () => {
    expectRowsAfterFrames(outcomes.at(-1));
  });
});
