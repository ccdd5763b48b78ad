import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { jwtSecret, keys, type Stage, startStage } from './fixture.ts';

// The checks that were written against the platform's own behaviour, unchanged, in a process of their own.
const checks = join(repository, '..', 'shared', 'checks');
const found = existsSync(join(checks, 'realtime-client.mjs'));
if (!found) console.warn(`skipped: ${checks} is missing`);

let stage: Stage;
let folder: string;
beforeAll(async () => {
  if (!found) return;
  stage = await startStage();
  folder = temporaryFolder('checks');
  // Where the packages that it imports are found.
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'));
});
afterAll(async () => {
  if (!found) return;
  rmSync(folder, { recursive: true, force: true });
  await stage.stop();
});

test.skipIf(!found)(
  'all 36 checks of the real client hold, for both versions of the protocol',
  async () => {
    const owner = postgres(stage.databaseUrl, { max: 1, onnotice: () => {} });
    await owner.unsafe(readFileSync(join(checks, 'realtime-client-setup.sql'), 'utf8')).simple();
    await owner.end();
    const script = join(folder, 'realtime-client.mjs');
    copyFileSync(join(checks, 'realtime-client.mjs'), script);
    // supabase-js takes the WebSocket of the runtime where there is one; Node 20 has none.
    const socket = join(folder, 'socket.mjs');
    writeFileSync(socket, `import WebSocket from 'ws';\nglobalThis.WebSocket ??= WebSocket;\n`);
    const child = spawn(process.execPath, ['--import', pathToFileURL(socket).href, script], {
      cwd: repository,
      env: { ...process.env, URL: stage.url, KEY: keys.publishable, JWT_SECRET: jwtSecret, DB: stage.databaseUrl },
    });
    let said = '';
    child.stdout.on('data', (chunk) => (said += chunk));
    child.stderr.on('data', (chunk) => (said += chunk));
    const status = await new Promise((resolve) => child.once('close', resolve));
    expect(said.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect([status, said.trim().split('\n').at(-1)]).toEqual([0, '36 of 36 hold']);
  },
  60_000,
);
