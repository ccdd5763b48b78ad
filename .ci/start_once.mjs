// Runs `npm start`'s command once under the Node that runs this file, until `ready`, and stops it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = probe.address();
await new Promise((resolve) => probe.close(resolve));

const folder = mkdtempSync(join(tmpdir(), 'parallax-start-'));
const command = ['--import', 'tsx', 'local/cli.ts', 'start', '--data', join(folder, 'data'), '--port', String(port)];
const startedAt = performance.now();
const stack = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] });
const ended = new Promise((resolve) => stack.once('exit', resolve));
const timeout = setTimeout(() => stack.kill('SIGTERM'), 120_000);
let output = '';
let ready = false;
for (const stream of [stack.stdout, stack.stderr]) {
  stream.on('data', (part) => {
    output += part;
    if (ready || !/^ready /m.test(output)) return;
    ready = true;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    console.log(`npm start on Node ${process.version} was ready after ${seconds} s`);
    stack.kill('SIGTERM');
  });
}
await ended;
clearTimeout(timeout);
rmSync(folder, { recursive: true, force: true });
if (!ready) {
  console.error(`npm start on Node ${process.version} did not print "ready":\n${output}`);
  process.exitCode = 1;
}
