import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { createDatabase } from '../support/database.ts';

/** Runs code in its own process, with or without the guard. Returns its exit code and output. */
async function ending(guarded: boolean, lines: string): Promise<{ code: number | null; output: string }> {
  const guard = guarded
    ? `import { ignoreKnownDriverCrash } from '${join(repository, 'local/platform/driver_crash.ts')}'; ignoreKnownDriverCrash();`
    : '';
  const child = spawn(process.execPath, [...tsxArguments, '--input-type=module', '--eval', `${guard}\n${lines}`], {
    cwd: repository,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      output += String(piece);
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

test('a backend that dies between two statements of a transaction fails it and does not end the supervisor', async () => {
  const db = await createDatabase();
  try {
    const lines = `
      import postgres from 'postgres';
      const sql = postgres('${db.url()}', { max: 2, fetch_types: false, onnotice() {} });
      let next;
      const spoken = new Promise((resolve) => { next = resolve; });
      const refusal = await sql.begin(async (transaction) => {
        const [{ pid }] = await transaction\`select pg_backend_pid() as pid\`;
        await sql\`select pg_terminate_backend(\${pid})\`;
        // The driver sees the closed connection and rejects the transaction; its work does not know
        // it yet.
        setTimeout(() => { transaction\`select 1\`.catch(() => {}); next(); }, 500);
        await new Promise(() => {});
      }).catch((error) => error);
      await spoken;
      await new Promise((resolve) => setTimeout(resolve, 100));
      console.log('refused with', refusal.code);
      process.exit(0);`;
    expect(await ending(true, lines)).toEqual({ code: 0, output: 'refused with CONNECTION_CLOSED\n' });
    // Without the guard the process crashes. If a later driver fixes this, the guard can be
    // removed.
    expect(await ending(false, lines)).toMatchObject({ code: 1, output: expect.stringContaining('nextWrite') });
  } finally {
    await db.close();
  }
});

test.each([
  ['an unknown error', "setImmediate(() => { throw new TypeError('something else'); }); setTimeout(() => {}, 60_000);"],
  [
    'a null error of our own code',
    "setImmediate(() => { const socket = null; socket.write('x'); }); setTimeout(() => {}, 60_000);",
  ],
  ['an unhandled rejection', "Promise.reject(new Error('something else')); setTimeout(() => {}, 60_000);"],
])('%s still ends the process and prints its stack', async (_name, lines) => {
  const { code, output } = await ending(true, lines);
  expect(code).toBe(1);
  expect(output).toMatch(/^\w*Error: (something else|Cannot read properties of null)/m);
});
