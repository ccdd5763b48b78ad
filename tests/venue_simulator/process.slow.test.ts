import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import type { ListeningInfo } from '../../local/venue_simulator/serve.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { getJson } from './clients.ts';
import type { Truth } from './fixture.ts';

const repository = join(import.meta.dirname, '../..');

let folder: string;
let data: string;
/**
 * The main file of a copy outside the repository, with only the packages of its own package.json.
 */
let main: string;
beforeAll(() => {
  folder = temporaryFolder('venues-process');
  data = join(folder, 'data');
  const copy = join(folder, 'venue-simulator');
  cpSync(join(repository, 'local/venue_simulator'), copy, { recursive: true });
  const { dependencies } = JSON.parse(readFileSync(join(copy, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  mkdirSync(join(copy, 'node_modules'));
  for (const name of Object.keys(dependencies))
    symlinkSync(join(repository, 'node_modules', name), join(copy, 'node_modules', name));
  main = join(copy, 'main.ts');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function startProcess(...args: readonly string[]): Promise<{ child: ChildProcess; listening: ListeningInfo }> {
  const child = spawn(process.execPath, [...tsxArguments, main, '--data', data, '--traps', 'none', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.on('data', (chunk) => {
      out += String(chunk);
      if (out.includes('\n')) resolve({ child, listening: JSON.parse(out.split('\n')[0] ?? '') as ListeningInfo });
    });
    let err = '';
    child.stderr?.on('data', (chunk) => {
      err += String(chunk);
    });
    child.once('exit', (code) => reject(new Error(`exit ${code}: ${err}`)));
  });
}

const stopProcess = (child: ChildProcess, signal: NodeJS.Signals) =>
  new Promise<number | null>((resolve) => {
    child.removeAllListeners('exit');
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });

describe('simulator process', () => {
  it('runs without the rest of the repository and keeps its universe and key after kill -9', async () => {
    const first = await startProcess('--seed', '5', '--games', '60');
    expect(Object.keys(first.listening)).toEqual(['venue_a', 'venue_b', 'source']);
    const truth = (listening: ListeningInfo) =>
      getJson<Truth>(`${listening.venue_a.rest.replace('/trade-api/v2', '/_sim')}/truth`);
    const legs = ({ pairs }: Truth) =>
      pairs.map((pair) => JSON.stringify([pair.venue_a, pair.venue_b, pair.outcomes])).sort();
    const before = legs(await truth(first.listening));
    await stopProcess(first.child, 'SIGKILL');
    const second = await startProcess('--seed', '5', '--games', '60');
    const after = legs(await truth(second.listening));
    // Only markets that were listed in the seconds between the two runs may differ.
    expect(before.filter((pair) => !after.includes(pair))).toEqual([]);
    expect(after.length - before.length).toBeLessThan(3);
    expect(second.listening.venue_a.key_id).toBe(first.listening.venue_a.key_id);
    expect(readFileSync(second.listening.venue_a.private_key_file, 'utf8')).toContain('PRIVATE KEY');
    expect(await stopProcess(second.child, 'SIGTERM')).toBe(0);
  });

  it('exits with code 1 and an error text when an argument is invalid', async () => {
    await expect(startProcess('--seed', 'many')).rejects.toThrow(/exit 1: .*--seed must be an integer/s);
    await expect(startProcess('--traps', 'bears')).rejects.toThrow(/exit 1: .*unknown fault "bears"/s);
  });
});
