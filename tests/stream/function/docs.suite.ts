import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Centrifuge } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import type { Isolate, StreamFixture, StreamWorld } from './fixture.ts';
import { createKey } from './minted.ts';

const page = readFileSync(join(repository, 'docs/stream_clients.md'), 'utf8');
// Debian's Python, because the package python3-websockets installs for that one.
const python = '/usr/bin/python3';
// PYTHONPATH with the SDK and a version of `websockets` that it supports.
const sdkPath = { PYTHONPATH: process.env.CENTRIFUGE_PYTHON ?? '' };
const programs = [
  {
    name: 'JavaScript',
    file: 'client.mjs',
    text: block('js', 0),
    command: process.execPath,
    env: {},
    missing: '',
    refusal: /auth\.malformed_key/,
  },
  {
    name: 'Python with the SDK',
    file: 'sdk.py',
    text: block('python', 0),
    command: python,
    env: sdkPath,
    missing: missingModule('centrifuge', sdkPath, 'CENTRIFUGE_PYTHON is not set to its path'),
    refusal: /401: Unauthorized/,
  },
  {
    name: 'Python without an SDK',
    file: 'plain.py',
    text: block('python', 1),
    command: python,
    env: {},
    missing: missingModule('websockets', {}, 'Debian has it as python3-websockets'),
    refusal: /auth\.malformed_key/,
  },
];
type Program = (typeof programs)[number];
for (const { name, missing } of programs) if (missing) console.log(`skipped: ${name}, ${missing}`);

// Inside the repository, so that the programs find the packages that the page requires.
let folder: string;
/** The socket of the page. */
const nodeSocket = () => join(folder, 'node_socket.mjs');
function writePrograms(): void {
  folder = mkdtempSync(join(repository, 'tests/stream/function/docs-'));
  for (const { file, text } of programs) writeFileSync(join(folder, file), text);
  writeFileSync(nodeSocket(), block('js', 1));
}

function block(language: string, which: number): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))];
  return blocks[which]?.[1] ?? '';
}

/** The reason why a program cannot run here; empty if it can. */
function missingModule(module: string, env: Record<string, string>, why: string): string {
  const tried = spawnSync(python, ['-c', `import ${module}`], { env: { ...process.env, ...env } });
  return tried.status === 0 ? '' : `${python} has no ${module}: ${why}`;
}

/** Kills and restarts the isolate of `at`, which looks at plans every second. */
export const docsSuite = (at: () => StreamWorld) =>
  describe('the programs of the documents', () => {
    let fixture: StreamFixture;
    let api: RunningApi;
    let isolate: Isolate;
    let running: ChildProcess | undefined;
    beforeAll(async () => {
      writePrograms();
      ({ fixture, isolate } = at());
      const { scratch } = fixture.realtime;
      const login = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, 'realtime_test');
      api = await serveApi(login, {
        stream: streamSettingsOf((name) => (name === 'STREAM_URL' ? isolate.url : undefined)),
      });
    });
    afterEach(() => {
      running?.kill('SIGKILL');
    });
    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      await api?.close();
    });

    function run({ command, file, env }: Program, key: string) {
      const lines: string[] = [];
      const errors: string[] = [];
      const child = spawn(command, [file], {
        cwd: folder,
        env: { ...process.env, ...env, PARALLAX_API: api.base, PARALLAX_KEY: key },
      });
      running = child;
      let rest = '';
      child.stdout.on('data', (chunk) => {
        const parts = (rest + chunk).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
      });
      child.stderr.on('data', (chunk) => errors.push(String(chunk)));
      const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
      /** The lines that it prints of one channel. */
      const of = (channel: string) => lines.filter((line) => line.startsWith(`${channel} `));
      return { of, errors, ended };
    }

    describe.each(programs)('docs/stream_clients.md, $name', (program) => {
      const { name, missing } = program;

      test.skipIf(missing)(
        'receives frames, is cut off, continues without a gap, and ends when its key is revoked',
        async () => {
          const { key, orgId } = await createKey(fixture.sql, 'free');
          const { of, errors, ended } = run(program, key);
          const publish = (id: string) => fixture.publish('sample', JSON.stringify({ type: 'price', id }));
          const evidence = () => JSON.stringify({ printed: of('sample').slice(-5), errors });
          // A subscription begins at the current position, so frames are published until one
          // arrives.
          await waitUntil(
            async () => {
              await publish(`${name} first`);
              return of('sample').length > 0;
            },
            { what: 'the first frame', everyMs: 200, evidence },
          );
          for (const [signal, meanwhile] of [
            ['SIGKILL', 'after a crash'],
            ['SIGTERM', 'after a handover'],
          ] as const) {
            await isolate.kill(signal);
            await publish(meanwhile);
            await fixture.sql`update stream.connections set lease_until = clock_timestamp()`;
            await isolate.restart();
            await waitUntil(async () => of('sample').some((line) => line.includes(meanwhile)), {
              ...{ what: `a recovery ${meanwhile}`, evidence },
            });
          }
          await publish('last');
          // Prices of the sample follow it at times.
          await waitUntil(() => of('sample').some((line) => line.includes('last')), { what: 'the last', evidence });
          const offsets = of('sample').map((line) => Number(line.split(' ')[1]));
          expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));

          await fixture.sql`update account.keys set revoked_at = clock_timestamp() where org_id = ${orgId}`;
          await ended;
          expect(errors.join('')).toMatch(/4503.*revoked/);
        },
      );

      test.skipIf(missing)('ends with a reason when its key is wrong', async () => {
        const { errors, ended } = run(program, 'sk_live_wrong');
        expect(await ended).toBe(1);
        expect(errors.join('')).toMatch(program.refusal);
      });
    });

    describe('a Node program that drops a socket with unread messages', () => {
      test('receives each publication once and in order over the socket of the page', async () => {
        const { NodeSocket } = (await import(nodeSocket())) as { NodeSocket: typeof WebSocket };
        expect(await receiveOver(NodeSocket)).toMatchObject({ outOfOrder: 0 });
      });

      // When this test fails, the SDK or ws has fixed the fault, and the page no longer needs its
      // socket.
      test('does not receive each publication in order over the socket of ws', async () => {
        expect((await receiveOver(WebSocket)).outOfOrder).toBeGreaterThan(0);
      });
    });

    test('each program with an SDK has at most twelve lines', () => {
      for (const { text } of programs.slice(0, 2)) expect(text.trim().split('\n').length).toBeLessThanOrEqual(12);
    });

    test.skipIf(missingModule('py_compile', {}, 'there is no Python'))('the programs in Python compile', () => {
      for (const { file } of programs.slice(1)) {
        const { status, stderr } = spawnSync(python, ['-m', 'py_compile', file], { cwd: folder, encoding: 'utf8' });
        expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      }
    });

    test('each example of docs/stream_frames.md is a frame: JSON with its type first', () => {
      const frames = readFileSync(join(repository, 'docs/stream_frames.md'), 'utf8');
      const examples = [...frames.matchAll(/```json\n(.*)\n```/g)].map(([, text = '']) => text);
      expect(examples.length).toBeGreaterThan(5);
      for (const text of examples) expect(Object.keys(JSON.parse(text))[0]).toBe('type');
    });

    test('the examples of quote, best, quota and report have the fields that the database writes', async () => {
      const page = readFileSync(join(repository, 'docs/stream_frames.md'), 'utf8');
      const example = (type: string, field: string) => {
        const found = [...page.matchAll(/```json\n(.*)\n```/g)].map(([, text = '']) => JSON.parse(text));
        return Object.keys(found.find((one) => one.type === type && field in one) ?? {}).sort();
      };
      const { orgId } = await createKey(fixture.sql, 'free');
      await fixture.sql`select account.publish_quota_notices(${orgId}, '2026-11-01', 8000, 10000)`;
      await fixture.sql`select arb.review_report(arb.file_report(${orgId}, null, '{"opp_id":"x"}'), 'upheld', 'a note')`;
      const rows = await fixture.sql<{ frame: string }[]>`
    select unnest(p.frames) as frame from stream.publications p where p.channel = ${`org:${orgId}`}
    union all
    select q.json
    from stream.render_quotes(array[
      row(gen_random_uuid(), 'venue_a', 'x', 'yes', 1, 2, 3, 4, now(), now(), null, false),
      row(gen_random_uuid(), 'venue_a', 'x', 'yes', null, null, null, null, null, now(), 'book.gap', false),
      row(gen_random_uuid(), 'venue_b', 'x', 'token', 1, 2, 3, 4, now(), now(), null, true)
    ]::stream.leg_quote[]) q
    union all
    select stream.best_json(row(gen_random_uuid(), 1, 1, '[]', null, now(), now(), now(), now())::stream.published_best, v)
    from unnest(array[null, 'book.gap']) v`;
      const frames = rows.map(({ frame }) => JSON.parse(frame) as Record<string, unknown>);
      const real = (type: string, field: string) =>
        Object.keys(frames.find((one) => one.type === type && field in one) ?? { missing: type }).sort();
      const pairs = [
        ['quota', 'percent'],
        ['report', 'verdict'],
        ['quote', 'bid'],
        ['quote', 'void'],
        ['quote', 'repeated'],
        ['best', 'best_edge_pct'],
        ['best', 'void'],
      ] as const;
      for (const [type, field] of pairs)
        expect(example(type, field), `${type} with ${field}`).toEqual(real(type, field));
    });
  });

/**
 * Sends 2,000 publications at once. The SDK drops the connection at the 300th and recovers over the
 * next connection.
 */
async function receiveOver(socket: typeof WebSocket): Promise<{ count: number; outOfOrder: number }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  server.on('connection', (connection) => {
    connection.on('message', (text) => {
      const { id, connect } = JSON.parse(String(text)) as {
        id: number;
        connect?: { subs?: { c?: { offset: number } } };
      };
      if (!connect) return;
      const offset = connect.subs?.c?.offset ?? 0;
      const recovery = { was_recovering: offset > 0, recovered: offset > 0, publications: [] };
      const subs = { c: { recoverable: true, positioned: true, epoch: 'e', offset, ...recovery } };
      connection.send(JSON.stringify({ id, connect: { client: 'one', version: '1', ping: 25, pong: true, subs } }));
      const pushes = Array.from({ length: 2_000 }, (_, n) =>
        JSON.stringify({ push: { channel: 'c', pub: { offset: offset + 1 + n, data: {} } } }),
      );
      while (pushes.length > 0) connection.send(pushes.splice(0, 5).join('\n'));
    });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stream = new Centrifuge(`ws://127.0.0.1:${port}`, {
    websocket: socket,
    minReconnectDelay: 1,
    maxReconnectDelay: 2,
  });
  let [count, outOfOrder, last, connections] = [0, 0, 0, 0];
  stream.on('connected', () => {
    connections += 1;
  });
  stream.on('publication', ({ offset = 0 }) => {
    count += 1;
    if (offset !== last + 1) outOfOrder += 1;
    last = offset;
    // The SDK does this when no ping arrives in time.
    if (count === 300)
      (stream as unknown as { _disconnect(code: number, why: string, reconnect: boolean): void })._disconnect(
        11,
        'no ping',
        true,
      );
  });
  stream.connect();
  await waitUntil(() => last >= 2_000 && connections > 1, { what: 'the last of the second connection' });
  // Publications may still be in flight.
  await pause(200);
  stream.disconnect();
  server.close();
  return { count, outOfOrder };
}
