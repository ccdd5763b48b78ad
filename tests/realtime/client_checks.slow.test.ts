import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { jwtSecret, keys, type RealtimeFixture, startRealtime } from './fixture.ts';

// Runs the checks that were written against the hosted platform, unchanged, in a process of their
// own.
const checks = join(repository, '..', 'shared', 'checks');
const found = existsSync(join(checks, 'realtime-client.mjs'));
if (!found) console.warn(`skipped: ${checks} is missing`);

let fixture: RealtimeFixture;
let folder: string;
beforeAll(async () => {
  if (!found) return;
  fixture = await startRealtime();
  folder = temporaryFolder('checks');
  // The script imports its packages from there.
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  if (!found) return;
  rmSync(folder, { recursive: true, force: true });
  await fixture.stop();
});

test.skipIf(!found)(
  'passes all 36 client checks for both protocol versions',
  async () => {
    const owner = postgres(fixture.databaseUrl, { max: 1, onnotice: () => {} });
    await owner.unsafe(readFileSync(join(checks, 'realtime-client-setup.sql'), 'utf8')).simple();
    await owner.end();
    const script = join(folder, 'realtime-client.mjs');
    copyFileSync(join(checks, 'realtime-client.mjs'), script);
    // supabase-js uses the WebSocket of the runtime; Node 20 has none.
    const socket = join(folder, 'socket.mjs');
    writeFileSync(socket, `import WebSocket from 'ws';\nglobalThis.WebSocket ??= WebSocket;\n`);
    const child = spawn(process.execPath, ['--import', pathToFileURL(socket).href, script], {
      cwd: repository,
      env: { ...process.env, URL: fixture.url, KEY: keys.publishable, JWT_SECRET: jwtSecret, DB: fixture.databaseUrl },
    });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(output.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect([status, output.trim().split('\n').at(-1)]).toEqual([0, '36 of 36 hold']);
  },
  60_000,
);
