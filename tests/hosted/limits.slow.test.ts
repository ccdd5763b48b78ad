import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { LimitedFunctions } from '../../local/platform/limits/limited_functions.ts';
import { platformLimits } from '../../local/platform/limits/limits.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { discardOutput } from '../support/discard_output.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

// Functions that exceed a limit on purpose, as workers of --hosted-limits behind the real gateway.
// They are in a folder of the project, because a worker may read nothing else.
const sources = {
  good: `let calls = 0; export default { fetch: () => Response.json({ calls: ++calls }) };`,
  burns: `export default { fetch: () => { for (;;); } };`,
  hoards: `const all = []; export default { async fetch() {
    for (;;) { all.push(new Uint8Array(8_000_000).fill(1)); await new Promise((next) => setTimeout(next, 5)); }
  } };`,
  stays: `export default { fetch() {
    EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 1_000))); return new Response('at once');
  } };`,
  lasts: `export default { fetch: () => { EdgeRuntime.waitUntil(new Promise(() => setTimeout(() => {}, 1e6))); return new Response(''); } };`,
  talks: `export default { fetch(request) {
    const { socket, response } = Deno.upgradeWebSocket(request); socket.onopen = () => socket.send('here'); return response;
  } };`,
  heeds: `let socket; addEventListener('beforeunload', ({ detail }) => socket?.send(detail.reason));
    export default { fetch(request) {
      const upgraded = Deno.upgradeWebSocket(request); socket = upgraded.socket; return upgraded.response;
  } };`,
  knows: `export default { fetch: () => Response.json(Deno.env.toObject()) };`,
  dies: `throw new Error('no function');`,
};

const folder = mkdtempSync(join(repository, 'test-hosted-'));
const sockets = temporaryFolder('sockets');
let hosted: LimitedFunctions;
let gateway: Gateway;
let base: string;
const living = new Set<number>();

beforeAll(async () => {
  for (const [name, source] of Object.entries(sources)) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'index.ts'), source);
  }
  hosted = new LimitedFunctions({
    // Less CPU than on the platform, so that a busy machine reaches this limit before the wall
    // clock's.
    limits: { ...platformLimits, cpuMs: 600, wallSeconds: 8 },
    env: (name) => ({ NAME_OF_FUNCTION: name }),
    sockets,
    log: discardOutput,
    changed: () => {},
    printLine: () => {},
    folder,
  });
  const functions = new Map(Object.keys(sources).map((name) => [name, hosted.backend(name)]));
  gateway = new Gateway({
    port: 0,
    functions,
    auth: undefined,
    dashboard: '',
    notice: '',
    limits: () => hosted.report(),
  });
  base = `http://127.0.0.1:${await gateway.listen()}`;
});
afterAll(async () => {
  for (const pid of hosted.pids) living.add(pid);
  await gateway.close();
  await hosted.stop();
  rmSync(folder, { recursive: true, force: true });
  rmSync(sockets, { recursive: true, force: true });
  for (const pid of living) expect(() => process.kill(pid, 0)).toThrow();
});

const call = (name: string) => fetch(`${base}/functions/v1/${name}`, { method: 'POST', body: 'x' });

type Spread = { max: number; p50: number | null } | null;
type Line = {
  function: string;
  calls: number;
  living: number;
  broken: number;
  cpu_ms: Spread;
  memory_mb: Spread;
  wall_s: Spread;
  limits: object;
  killed: { cpu: number; memory: number; wall: number };
};
const line = async (name: string): Promise<Line | undefined> => {
  const { functions } = (await (await fetch(`${base}/limits.json`)).json()) as { functions: Line[] };
  return functions.find((one) => one.function === name);
};
const ended = (name: string) =>
  waitUntil(async () => (await line(name))?.living === 0, { what: `no running worker of ${name}`, timeoutMs: 30_000 });

test('each call has its own worker, shares no state with others, and is counted in the report', async () => {
  const answers = await Promise.all([call('good'), call('good')]);
  for (const answer of [...answers, await call('good')]) expect(await answer.json()).toEqual({ calls: 1 });
  await ended('good');
  const reported = await line('good');
  expect(reported).toMatchObject({ calls: 3, broken: 0, killed: { cpu: 0, memory: 0, wall: 0 } });
  expect(reported?.limits).toEqual({ cpu_ms: 600, memory_mb: 256, wall_s: 8 });
  expect(reported?.memory_mb?.max).toBeGreaterThan(5);
  expect(reported?.wall_s?.p50).toBeGreaterThan(0);
});

test.each([
  ['burns', 'cpu'],
  ['hoards', 'memory'],
] as const)(
  'a call that %s is killed at the limit of %s, returns 546, and affects no other call',
  async (name, limit) => {
    const [answer, other] = await Promise.all([call(name), call('good')]);
    expect(answer.status).toBe(546);
    expect(await answer.json()).toMatchObject({ code: 'WORKER_LIMIT', error: expect.stringContaining(limit) });
    expect(other.status).toBe(200);
    await ended(name);
    expect((await line(name))?.killed).toEqual({ cpu: 0, memory: 0, wall: 0, [limit]: 1 });
  },
  60_000,
);

test('a worker that waits for a call has no variable of any function, and gets those of its own with the call', async () => {
  for (const pid of hosted.pids) expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('NAME_OF_FUNCTION');
  expect(await (await call('knows')).json()).toMatchObject({ NAME_OF_FUNCTION: 'knows' });
});

test('background work continues after the response, until the wall clock at the latest', async () => {
  expect(await (await call('stays')).text()).toBe('at once');
  await ended('stays');
  expect(await line('stays')).toMatchObject({ broken: 0, killed: { cpu: 0, memory: 0, wall: 0 } });
  expect((await line('stays'))?.wall_s?.max).toBeGreaterThan(0.95);
  await call('lasts');
  await ended('lasts');
  expect((await line('lasts'))?.killed.wall).toBe(1);
});

test('a WebSocket stays open as long as its worker, which is killed at the wall clock', async () => {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/functions/v1/talks`);
  const first = await new Promise((resolve) => socket.once('message', (data) => resolve(String(data))));
  expect(first).toBe('here');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('error', () => {});
  await closed;
  await ended('talks');
  expect((await line('talks'))?.killed.wall).toBe(1);
});

test('a worker near a limit is warned once, with the name of the limit, before it is killed', async () => {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/functions/v1/heeds`);
  const reported: string[] = [];
  socket.on('message', (data) => reported.push(String(data)));
  socket.once('error', () => {});
  await new Promise((resolve) => socket.once('close', resolve));
  await ended('heeds');
  expect(reported).toEqual(['wall_clock']);
  expect((await line('heeds'))?.killed.wall).toBe(1);
});

test('a function that does not start returns 503, and the next call gets a new worker', async () => {
  for (const _ of [1, 2]) {
    const answer = await call('dies');
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ code: 'BOOT_ERROR' });
  }
  expect((await line('dies'))?.broken).toBe(2);
});
