import postgres from 'postgres';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import type { ResultRow } from './result_row.ts';

const SECONDS = 1;
const ROUNDS = 5;

/** Statements a second over this many connections. */
async function statementRate(
  sql: postgres.Sql,
  connections: number,
  text: (connection: number) => string,
): Promise<number> {
  const end = performance.now() + SECONDS * 1000;
  let done = 0;
  const one = async (connection: number) => {
    while (performance.now() < end) {
      await sql.unsafe(text(connection));
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => one(connection)));
  return done / SECONDS;
}

/**
 * Measures admission against `select 1` over the same driver, each call in its own transaction: one
 * organization over four connections, which wait for the lock of its row, and four organizations
 * over one connection each.
 */
export async function measureAdmission(scratch: TemporaryPostgres, template: string): Promise<ResultRow[]> {
  const url = await scratch.create('admission', template);
  const sql = postgres(url, { max: 4, prepare: false, fetch_types: false, onnotice: () => {} });
  try {
    await sql`update account.tiers set window_requests = 1000000000, month_requests = 1000000000`;
    const hashes: string[] = [];
    for (let org = 0; org < 4; org += 1) {
      const [row] = await sql<{ hash: string }[]>`
        select encode(account.key_hash(account.mint_key(${`org ${org}`}, 'pro')), 'hex') as hash`;
      hashes.push(row?.hash ?? '');
    }
    const admit = (hash: string | undefined) => `select * from account.admit(decode('${hash}', 'hex'), true, 1, 1)`;
    // Alternate the three, so that other work on the machine affects all alike. The best round
    // counts.
    let [baseline, one, four] = [0, 0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      baseline = Math.max(baseline, await statementRate(sql, 4, () => 'select 1'));
      one = Math.max(one, await statementRate(sql, 4, () => admit(hashes[0])));
      four = Math.max(four, await statementRate(sql, 4, (connection) => admit(hashes[connection])));
    }
    return [
      row('admission, one organization over 4 connections', one, baseline),
      row('admission, 4 organizations over one each', four, baseline),
    ];
  } finally {
    await sql.end({ timeout: 2 });
  }
}

function row(name: string, admitted: number, baseline: number): ResultRow {
  // Measured 0.29 and 0.35 on two busy cores (2026-11-20). Admission locks, counts and commits a
  // row.
  const target = 0.2;
  return {
    name,
    ratio: admitted / baseline,
    target,
    better: 'higher',
    passes: admitted / baseline >= target,
    detail: `${Math.round(admitted)} admitted a second; select 1 ${Math.round(baseline)}`,
  };
}
