import { connect } from '../../functions/api/database.ts';
import { parseMarkets } from '../../functions/api/routes/get_markets.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { cpuTimeOfAll } from './cpu_time.ts';
import { CONNECTIONS, createMarketsFixture, type MarketsFixture, path, rateOf } from './markets_fixture.ts';
import { interleaved, median, progress, timed } from './measure.ts';
import { getOf, RawClient } from './raw_client.ts';
import { type ResultRow, toResultRow } from './result_row.ts';

/**
 * The statement that renders the page, from api.call_data_route, without key, admission and HTTP.
 */
function renderStatementOf(limit: number): string {
  const { params, issues } = parseMarkets(`http://bench${path(limit)}`);
  if (issues.length > 0) throw new Error('the request of the bench is invalid');
  return `select body from api.get_markets('${JSON.stringify(params).replaceAll("'", "''")}'::jsonb)`;
}

/**
 * Measures requests a second within a step over four connections. The baseline is the SQL that
 * renders the same page, over as many connections.
 */
async function measureSteadyState(
  fixture: MarketsFixture,
  pairs: number,
  seconds: number,
  rounds: number,
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => RawClient.open(Number(new URL(fixture.isolate.base).port))),
  );
  try {
    for (const [limit, target] of [
      [50, 0.75],
      [500, 4],
    ] as const) {
      progress(`GET /v2/markets?limit=${limit}, steady, ${pairs} pairs`);
      const request = getOf(path(limit), fixture.key, true);
      const cost = { sql: [] as number[], api: [] as number[] };
      const withCost = async (name: keyof typeof cost, rate: () => Promise<number>) => {
        const before = cpuTimeOfAll(fixture.cluster, [fixture.isolate.pid]);
        const result = await rate();
        const cpuTime = cpuTimeOfAll(fixture.cluster, [fixture.isolate.pid]) - before;
        cost[name].push((cpuTime * 1000) / (result * seconds));
        return result;
      };
      const result = await interleaved(rounds, {
        sql: () => withCost('sql', () => fixture.baseline.rate(renderStatementOf(limit), CONNECTIONS, seconds)),
        api: () => withCost('api', () => rateOf(clients, request, seconds)),
      });
      const [apiCost, sqlCost] = [Math.round(median(cost.api)), Math.round(median(cost.sql))];
      rows.push(
        toResultRow({
          name: `GET /v2/markets?limit=${limit} gzip, steady state, ${pairs} pairs`,
          ratio: result.api / result.sql,
          target,
          better: 'higher',
          detail: `${Math.round(result.api)} a second; ${fixture.baseline.name} of the SQL alone ${Math.round(result.sql)}; CPU time ${apiCost} us, of the SQL alone ${sqlCost} us`,
        }),
      );
    }
  } finally {
    for (const client of clients) client.close();
  }
  return rows;
}

/**
 * Measures a request whose page is not in the cache of the isolate, as after each step. The
 * baseline is the same SQL over the driver of the function. Neither uses gzip. The detail has the
 * time with gzip.
 */
async function measureColdRequest(fixture: MarketsFixture, pairs: number, times: number): Promise<ResultRow[]> {
  progress(`a cold request, ${pairs} pairs`);
  const client = await RawClient.open(Number(new URL(fixture.isolate.base).port));
  const pool = connect(fixture.url, () => {}, 1);
  const afterChange = async (work: () => Promise<unknown>) => {
    // A new change number makes the cached page stale. The rows stay the same.
    await fixture.sql`update price.snapshot_state set change_no = change_no + 1`;
    return await timed(work);
  };
  try {
    const result = await interleaved(times, {
      sql: () => afterChange(() => pool.query(renderStatementOf(500))),
      plain: () => afterChange(() => client.request(getOf(path(500), fixture.key, false))),
      zipped: () => afterChange(() => client.request(getOf(path(500), fixture.key, true))),
    });
    const ms = (elapsedMs: number) => `${elapsedMs.toFixed(1)} ms`;
    return [
      toResultRow({
        name: `a cold request, limit=500, ${pairs} pairs`,
        ratio: result.plain / result.sql,
        target: 1.5,
        better: 'lower',
        detail: `${ms(result.plain)}, with gzip ${ms(result.zipped)}; the same SQL over the same driver ${ms(result.sql)}`,
      }),
    ];
  } finally {
    client.close();
    await pool.end(1_000);
  }
}

export async function measureMarkets(
  scratch: TemporaryPostgres,
  template: string,
  sizes: readonly number[],
  seconds = 2,
  rounds = 3,
): Promise<ResultRow[]> {
  const rows: ResultRow[] = [];
  for (const pairs of sizes) {
    progress(`a catalog of ${pairs} pairs`);
    const fixture = await createMarketsFixture(scratch, template, pairs);
    try {
      rows.push(
        ...(await measureSteadyState(fixture, pairs, seconds, rounds)),
        ...(await measureColdRequest(fixture, pairs, 5 * rounds)),
      );
    } finally {
      await fixture.close();
    }
  }
  return rows;
}
