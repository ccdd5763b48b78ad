import { randomBytes } from 'node:crypto';
import process from 'node:process';
import { ConnectionFailed, sqlStateOf } from '../../functions/_shared/pool/failure.ts';
import { Pool } from '../../functions/_shared/pool/pool.ts';
import { pause } from '../support/wait_until.ts';

// A program of its own, on Deno as the functions are: sixteen callers ask without rest. It hears no error that nobody else hears, so one that
// nobody catches ends it. `ok <answers> <refusals> <of them unsent>` on stdout as it goes on; when its stdin ends, what became of every query.

export type Asked = {
  kind: 'bound' | 'plain' | 'large' | 'write' | 'fault';
  token: string;
  /** `wrong`: rows that are another query's; `unsent` and `sent`: NoAnswer; else a SQLSTATE or an error that nobody knows. */
  came: 'right' | 'wrong' | 'unsent' | 'sent' | (string & {});
  tookMs: number;
  endedAt: number;
};

const [, , url = '', limitMs = '5000', most = '4'] = process.argv;
const log = (line: string): void => console.error(line);
const pool = new Pool({ url, name: 'pool test', maxConnections: Number(most), limitMs: Number(limitMs), log });
const kinds = ['bound', 'plain', 'large', 'write', 'fault'] as const;
const all: Asked[] = [];
let ok = 0;
let refused = 0;
let unsent = 0;
let over = false;

async function answerOf(kind: Asked['kind'], token: string): Promise<unknown> {
  const pause = 'pg_sleep(random() * 0.01)';
  if (kind === 'plain') return (await pool.query<{ said: string }>(`select '${token}' as said, ${pause}`))[0]?.said;
  if (kind === 'large') {
    const rows = await pool.sql<{ said: string; pad: string }>`
      select ${token}::text as said, repeat('x', 20000) as pad from generate_series(1, 20)`;
    return rows.length === 20 && rows.every((row) => row.said === token && row.pad.length === 20_000) ? token : rows;
  }
  if (kind === 'write') return (await pool.sql<{ said: string }>`select written(${token}) as said`)[0]?.said;
  if (kind === 'fault') return await pool.sql`select 1 / ${0}::int, ${token}::text`;
  return (await pool.query<{ said: string }>(`select $1::text as said, ${pause}`, [token]))[0]?.said;
}

async function ask(kind: Asked['kind']): Promise<void> {
  const token = randomBytes(8).toString('hex');
  const began = performance.now();
  let came: Asked['came'];
  try {
    came = (await answerOf(kind, token)) === token ? 'right' : 'wrong';
  } catch (error) {
    came = error instanceof ConnectionFailed ? (error.sent ? 'sent' : 'unsent') : (sqlStateOf(error) ?? String(error));
  }
  all.push({ kind, token, came, tookMs: performance.now() - began, endedAt: Date.now() });
  if (came === 'right' || came === '22012') ok += 1;
  else {
    refused += 1;
    if (came === 'unsent') unsent += 1;
    await pause(10);
  }
}

const callers = Array.from({ length: 16 }, async (_, nth) => {
  for (let turn = nth; !over; turn += 1) await ask(kinds[turn % kinds.length] ?? 'bound');
});
const telling = setInterval(() => console.log(`ok ${ok} ${refused} ${unsent}`), 50);
process.stdin.on('data', () => {});
process.stdin.on('end', async () => {
  over = true;
  await Promise.all(callers);
  clearInterval(telling);
  await pool.end(1_000);
  console.log(JSON.stringify(all));
  process.exit(0);
});
