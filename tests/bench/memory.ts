import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { pause } from '../support/wait_until.ts';
import { progress } from './measure.ts';
import { memoryRows, partOf, round, type Sample } from './memory_rows.ts';
import type { Row } from './result_row.ts';

/**
 * A stack as `npm start` makes it, left to itself for so many minutes; own memory of its processes at the end beside that after two minutes
 * (of a run of less than four: half way).
 */
export async function memory(minutes: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'parallax-memory-'));
  const stack = await startStack(folder);
  try {
    const began = performance.now();
    const samples: Sample[] = [];
    const warm = Math.min(2, minutes / 2);
    for (const due of [warm, (warm + minutes) / 2, minutes]) {
      await pause(due * 60_000 - (performance.now() - began));
      const sample = sampleOf(stack.pid ?? 0, due);
      progress(`memory after ${wordsOf(sample)}`);
      samples.push(sample);
    }
    return memoryRows(samples);
  } finally {
    await stopStack(stack);
    rmSync(folder, { recursive: true, force: true });
  }
}

const wordsOf = ({ minutes, parts, total }: Sample): string =>
  `${round(minutes)} min: ${round(total)} MB (${Object.entries(parts)
    .map(([part, mb]) => `${part} ${round(mb)}`)
    .join(', ')})`;

function sampleOf(root: number, minutes: number): Sample {
  const parts: Record<string, number> = {};
  let total = 0;
  for (const pid of familyOf(root)) {
    const kilobytes = Number(/RssAnon:\s+(\d+)/.exec(read(pid, 'status'))?.[1] ?? 0);
    const part = partOf(read(pid, 'cmdline').replaceAll('\0', ' '));
    parts[part] = (parts[part] ?? 0) + kilobytes / 1024;
    total += kilobytes / 1024;
  }
  return { minutes, parts, total };
}

function familyOf(root: number): number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const parents = new Map(
    pids.map((pid) => [
      pid,
      Number(
        read(pid, 'stat')
          .replace(/^.*\) /, '')
          .split(' ')[1],
      ),
    ]),
  );
  const ours = (pid: number | undefined): boolean =>
    pid === root || (pid !== undefined && pid > 1 && ours(parents.get(pid)));
  return pids.filter(ours);
}

/** Empty where the process has gone meanwhile. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

async function startStack(folder: string): Promise<ChildProcess> {
  progress('npm start, for its memory');
  const port = await freePort();
  const program = [
    '--import',
    'tsx',
    join(repository, 'local/cli.ts'),
    'start',
    '--port',
    String(port),
    '--data',
    folder,
  ];
  const stack = spawn(process.execPath, program, { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    stack.stdout?.on('data', (chunk) => {
      said += chunk;
      if (/^ready /m.test(said)) resolve();
    });
    stack.once('exit', () => reject(new Error(`the stack does not start:\n${said}`)));
  });
  return stack;
}

async function stopStack(stack: ChildProcess): Promise<void> {
  if (stack.exitCode !== null) return;
  const gone = new Promise((resolve) => stack.once('exit', resolve));
  stack.kill('SIGINT');
  await gone;
}
