import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { DiskSpace } from '../../local/platform/supervisor/disk_space.ts';
import { LogFile } from '../../local/platform/supervisor/log_file.ts';
import { explainStartFailure } from '../../local/platform/supervisor/start_failure.ts';
import { lonelyStack } from '../support/lonely_stack.ts';
import { temporaryFolder } from '../support/temporary_folder.ts';
import { waitUntil } from '../support/wait_until.ts';

const folder = temporaryFolder('disk');
const disk = join(folder, 'disk');
mkdirSync(disk);
/** A file system of 400 MB in memory. Only root may mount one. */
const isMounted =
  process.platform === 'linux' && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'none', disk]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true });
});

const fill = join(disk, 'fill');
const fillUp = () => expect(spawnSync('dd', ['if=/dev/zero', `of=${fill}`, 'bs=1M']).status).toBe(1);

/** Linux refuses every write to this file with ENOSPC. */
const FULL = '/dev/full';

test.skipIf(!existsSync(FULL))('a full disk is reported once and not thrown, and its end is reported once', () => {
  const lines: string[] = [];
  const space = new DiskSpace('/data', (line) => lines.push(line));
  const log = new LogFile(FULL, space);
  const child = spawn('true');
  log.collect(child);
  for (let second = 0; second < 3; second++) {
    space.attemptFile(() => writeFileSync(FULL, '1'));
    child.stdout.emit('data', Buffer.from('a line\n'));
  }
  expect(lines).toEqual([
    'The disk of /data is full (ENOSPC). Until it has space, logs and market time are not saved, and PostgreSQL may stop.',
  ]);
  // A write that needs no new space does not end the failure.
  space.attempt(() => {});
  expect(lines).toHaveLength(1);
  for (let second = 0; second < 3; second++) space.attemptFile(() => {});
  expect(lines.slice(1)).toEqual(['/data can be written again.']);
  log.close();
});

test('a failed write to the data folder does not end the stack, and a defect in the code still throws', () => {
  const lines: string[] = [];
  const space = new DiskSpace('/data', (line) => lines.push(line));
  space.attemptFile(() => writeFileSync(join(folder, 'gone', 'market_time'), '1'));
  expect(lines).toEqual(['/data cannot be written (ENOENT). Until it can, logs and market time are not saved.']);
  expect(() => space.attempt(() => JSON.parse('{'))).toThrow(SyntaxError);
});

test('a service that floods its log fills two files of 8 MB and no more, and the last lines are kept', async () => {
  const path = join(folder, 'flood.log');
  const log = new LogFile(path, new DiskSpace(folder, () => {}));
  const child = log.collect(spawn('sh', ['-c', 'yes "a line of a flood" | head -c 40000000; echo the last line >&2']));
  await new Promise((resolve) => child.once('close', resolve));
  log.close();
  const sizes = [path, `${path}.old`].map((file) => statSync(file).size);
  for (const size of sizes) expect(size).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect((sizes[0] ?? 0) + (sizes[1] ?? 0)).toBeGreaterThan(8 * 1024 * 1024);
  expect(readFileSync(path, 'utf8')).toContain('the last line\n');
});

test('a log continues after a restart of its service, and after it was renamed', async () => {
  const path = join(folder, 'restarted.log');
  const once = async (word: string) => {
    const log = new LogFile(path, new DiskSpace(folder, () => {}), 20);
    const child = log.collect(spawn('echo', [word]));
    await new Promise((resolve) => child.once('close', resolve));
    log.close();
  };
  await once('first');
  await once('second');
  expect(readFileSync(path, 'utf8')).toBe('first\nsecond\n');
  await once('third and long');
  expect(readFileSync(path, 'utf8')).toBe('third and long\n');
  expect(readFileSync(`${path}.old`, 'utf8')).toBe('first\nsecond\n');
});

test('a start that fails for lack of space is explained in a sentence, in Node and in Postgres', () => {
  const full = (code: string) => Object.assign(new Error('could not extend file'), { code });
  for (const code of ['ENOSPC', 'EDQUOT', '53100'])
    expect(explainStartFailure(full(code), '/data')).toMatchObject({
      name: 'UserError',
      message: `The disk of /data is full (${code}). Free some space and start again.`,
    });
  const defect = new TypeError('x is undefined');
  expect(explainStartFailure(defect, '/data')).toBe(defect);
});

test.skipIf(!isMounted)(
  'a stack whose disk is full goes on, works again with space, and has lost nothing (needs root)',
  async () => {
    const data = join(disk, 'data');
    const stack = await lonelyStack(data);
    await stack.untilUp();
    const sql = stack.connect();
    await sql`create table public.kept (id int primary key)`;
    await sql`insert into public.kept values (1)`;
    fillUp();
    await stack.line(/is full \(ENOSPC\)/);
    // More than the WAL that Postgres has reserved: it stops by itself.
    const fillWal = async () => {
      for (;;) await sql`select pg_logical_emit_message(false, 'full', repeat('x', 4000000))`;
    };
    await expect(fillWal()).rejects.toThrow();
    await sql.end({ timeout: 1 });
    await stack.line(/^postgres: cannot start/);
    expect(stack.child.exitCode).toBeNull();
    expect((await fetch(`${stack.url}/config.json`)).status).toBe(200);

    rmSync(fill);
    await stack.line(/^postgres: up again/);
    await stack.line(/can be written again/);
    const later = stack.connect();
    await later`insert into public.kept values (2)`;
    expect(await later`select id from public.kept order by id`).toEqual([{ id: 1 }, { id: 2 }]);
    await waitUntil(async () => (await fetch(`${stack.url}/functions/v1/api/health`)).status === 200);
    await later.end();
    expect(stack.lines.filter((line) => /is full/.test(line))).toHaveLength(1);
    expect(stack.lines.join('\n')).not.toMatch(/^ +at /m);
    expect(await stack.stop('SIGTERM')).toBe(0);

    // Orderly also while the disk is full, and a start on it ends with a sentence.
    fillUp();
    const refused = await lonelyStack(data);
    expect(await refused.ended).toBe(1);
    expect(refused.lines.at(-1)).toMatch(/^The disk of .* is full \(ENOSPC\)\. Free some space and start again\.$/);
    rmSync(fill);
    const again = await lonelyStack(data);
    await again.untilUp();
    fillUp();
    expect(await again.stop('SIGTERM')).toBe(0);
    rmSync(fill);
  },
  240_000,
);
