import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { streamSettingsOf } from '../../../functions/api/stream_token.ts';
import { repository } from '../../../local/platform/binaries.ts';
import { databaseUrl } from '../../../local/platform/postgres.ts';
import { type RunningApi, serveApi } from '../../api/support/server.ts';
import { until } from '../../realtime/stage.ts';
import { keyOf } from './minted.ts';
import { type Isolate, startWorld, type World } from './stage.ts';

const page = readFileSync(join(repository, 'docs/stream_clients.md'), 'utf8');
const programs = { js: block('js'), python: block('python') };
// Below the repository, so that the program finds the packages that the page tells to install.
const folder = mkdtempSync(join(repository, 'tests/stream/function/docs-'));

let world: World;
let api: RunningApi;
let isolate: Isolate;
let running: ChildProcess | undefined;
beforeAll(async () => {
  world = await startWorld();
  isolate = await world.isolate();
  const { scratch } = world.realtime;
  await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
  const login = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, 'realtime_test');
  api = await serveApi(login, {
    stream: streamSettingsOf((name) => (name === 'STREAM_URL' ? isolate.url : undefined)),
  });
}, 60_000);
afterEach(() => {
  running?.kill('SIGKILL');
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await api?.close();
  await world?.stop();
});

function block(language: string): string {
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';
}

/** The lines that a program prints of one channel. */
function run(command: string, args: string[], key: string, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const wrong: string[] = [];
  const child = spawn(command, args, {
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
  child.stderr.on('data', (chunk) => wrong.push(String(chunk)));
  const of = (channel: string) => lines.filter((line) => line.startsWith(`${channel} `));
  return { of, wrong };
}

describe('the programs of docs/stream_clients.md', () => {
  // Nothing is installed here: where Python has no websockets, this much of it stands in.
  const stub = readFileSync(join(repository, 'tests/stream/function/websockets_stub.py'), 'utf8');
  mkdirSync(join(folder, 'python/websockets/sync'), { recursive: true });
  writeFileSync(join(folder, 'python/websockets/__init__.py'), '');
  writeFileSync(join(folder, 'python/websockets/sync/__init__.py'), '');
  writeFileSync(join(folder, 'python/websockets/sync/client.py'), stub);
  writeFileSync(
    join(folder, 'python/websockets/exceptions.py'),
    [
      'class Close:',
      '    def __init__(self, code):',
      '        self.code = code',
      'class ConnectionClosed(Exception):',
      '    def __init__(self, code):',
      '        self.rcvd = Close(code) if code else None',
    ].join('\n'),
  );
  writeFileSync(join(folder, 'client.mjs'), programs.js);
  writeFileSync(join(folder, 'client.py'), programs.python);

  test.each([
    ['JavaScript', process.execPath, ['client.mjs']],
    ['Python', 'python3', ['client.py']],
  ])(
    '%s: hears, is cut off, and goes on without a gap',
    async (language, command, args) => {
      const { key } = await keyOf(world.sql, 'free');
      const { of, wrong } = run(command, args, key, { PYTHONPATH: join(folder, 'python') });
      const say = (id: string) => world.say('sample', JSON.stringify({ type: 'price', id }));
      // It begins where the channel stands: so it is spoken to until it hears.
      await until(`it listens ${wrong.join('')}`, async () => {
        await say(`${language} first`);
        await new Promise((resolve) => setTimeout(resolve, 200));
        return of('sample').length > 0;
      });
      await isolate.kill(language === 'Python' ? 'SIGTERM' : 'SIGKILL');
      await say('meanwhile');
      await world.sql`update stream.connections set lease_until = clock_timestamp()`;
      await isolate.revive();
      await until(
        `it recovers ${wrong.join('')}`,
        async () => of('sample').some((line) => line.includes('meanwhile')),
        30_000,
      );
      await say('last');
      await until('the last', () => of('sample').at(-1)?.includes('last'));
      const offsets = of('sample').map((line) => Number(line.split(' ')[1]));
      expect(offsets).toEqual(offsets.map((_, n) => (offsets[0] ?? 0) + n));
    },
    60_000,
  );
});

test('each example of docs/stream_frames.md is a frame: JSON with its type first', () => {
  const frames = readFileSync(join(repository, 'docs/stream_frames.md'), 'utf8');
  const examples = [...frames.matchAll(/```json\n(.*)\n```/g)].map(([, text = '']) => text);
  expect(examples.length).toBeGreaterThan(5);
  for (const text of examples) expect(Object.keys(JSON.parse(text))[0]).toBe('type');
});
