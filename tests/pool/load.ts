import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { ConnectionFailed, sqlStateOf } from '../../functions/_shared/pool/failure.ts';
import { Pool } from '../../functions/_shared/pool/pool.ts';
import { pause } from '../support/wait_until.ts';

// A process under Deno, like the functions: sixteen callers send queries without a pause. It has no
// handler for uncaught errors, so an uncaught error ends it. It prints `ok <answered> <failed>
// <unsent>` to stdout as it runs. When its stdin ends, it prints the record of every query.

export type QueryRecord = {
  kind: 'bound' | 'plain' | 'large' | 'write' | 'error';
  token: string;
  /**
   * `wrong`: the rows of another query. `unsent`, `sent`: ConnectionFailed. Else a SQLSTATE, or an
   * unexpected error.
   */
  result: 'right' | 'wrong' | 'unsent' | 'sent' | (string & {});
  tookMs: number;
  endedAt: number;
};

const [, , url = '', limitMs = '5000', maxConnections = '4'] = process.argv;
const log = (line: string): void => console.error(line);
const pool = new Pool({
  url,
  name: 'pool test',
  maxConnections: Number(maxConnections),
  limitMs: Number(limitMs),
  log,
});
const KINDS = ['bound', 'plain', 'large', 'write', 'error'] as const;
const records: QueryRecord[] = [];
let answered = 0;
let failed = 0;
let unsent = 0;
let isOver = false;

async function runQuery(kind: QueryRecord['kind'], token: string): Promise<unknown> {
  const pause = 'pg_sleep(random() * 0.01)';
  if (kind === 'plain') return (await pool.query<{ token: string }>(`select '${token}' as token, ${pause}`))[0]?.token;
  if (kind === 'large') {
    const rows = await pool.sql<{ token: string; pad: string }>`
      select ${token}::text as token, repeat('x', 20000) as pad from generate_series(1, 20)`;
    return rows.length === 20 && rows.every((row) => row.token === token && row.pad.length === 20_000) ? token : rows;
  }
  if (kind === 'write') return (await pool.sql<{ token: string }>`select written(${token}) as token`)[0]?.token;
  if (kind === 'error') return await pool.sql`select 1 / ${0}::int, ${token}::text`;
  return (await pool.query<{ token: string }>(`select $1::text as token, ${pause}`, [token]))[0]?.token;
}

async function record(kind: QueryRecord['kind']): Promise<void> {
  const token = randomBytes(8).toString('hex');
  const startedAt = performance.now();
  let result: QueryRecord['result'];
  try {
    result = (await runQuery(kind, token)) === token ? 'right' : 'wrong';
  } catch (error) {
    result =
      error instanceof ConnectionFailed ? (error.sent ? 'sent' : 'unsent') : (sqlStateOf(error) ?? String(error));
  }
  records.push({ kind, token, result, tookMs: performance.now() - startedAt, endedAt: Date.now() });
  if (result === 'right' || result === '22012') answered += 1;
  else {
    failed += 1;
    if (result === 'unsent') unsent += 1;
    await pause(10);
  }
}

const callers = Array.from({ length: 16 }, async (_, nth) => {
  for (let turn = nth; !isOver; turn += 1) await record(KINDS[turn % KINDS.length] ?? 'bound');
});
const reporting = setInterval(() => console.log(`ok ${answered} ${failed} ${unsent}`), 50);
process.stdin.on('data', () => {});
process.stdin.on('end', async () => {
  isOver = true;
  await Promise.all(callers);
  clearInterval(reporting);
  await pool.end(1_000);
  console.log(JSON.stringify(records));
  process.exit(0);
});
