import postgres from 'postgres';
import { connect } from '../../functions/api/database.ts';
import { parseMarkets } from '../../functions/api/routes/get_markets.ts';
import { type Cluster, databaseUrl } from '../../local/platform/postgres/postgres.ts';
import type { TemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { holdBooks, putFrames, type SeedFrame } from '../api/support/catalog.ts';
import { type Isolate, startIsolate } from '../api/support/isolate.ts';
import { putPairs } from '../stream/fixture.ts';
import { processorOfAll } from './cpu_time.ts';
import { inTurns, median, progress, timed } from './measure.ts';
import { type Yardstick, yardstickOn } from './pgbench.ts';
import { type Row, rowOf } from './result_row.ts';
import { Caller, getOf } from './sockets.ts';

const connections = 4;

type Stage = {
  sql: postgres.Sql;
  cluster: Cluster;
  url: string;
  isolate: Isolate;
  yardstick: Yardstick;
  key: string;
  close(): Promise<void>;
};

/** A catalog of so many priced pairs at a step that stands, and functions/api in a Deno of its own. */
async function stage(scratch: TemporaryPostgres, house: string, pairs: number): Promise<Stage> {
  const owner = await scratch.create(`markets_${pairs}`, house);
  const sql = postgres(owner, { max: 1, onnotice: () => {} });
  await scratch.admin.unsafe(`alter role parallax_api login password '${scratch.password}'`);
  const name = new URL(owner).pathname.slice(1);
  const url = databaseUrl(scratch.cluster.port, 'parallax_api', scratch.password, name);
  await putPairs(sql, pairs);
  await holdBooks(sql);
  for (let from = 1; from <= pairs; from += 500) {
    await putFrames(
      sql,
      Array.from({ length: Math.min(500, pairs - from + 1) }, (_, at) => [from + at, frameOf(from + at)] as const),
    );
  }
  // The clock stands: what is measured is the steady state within a step, however long a round takes.
  await sql`update price.settings set rest_delay = '0'`;
  await sql`delete from clock.segments`;
  await sql`insert into clock.segments (real_from, market_from, rate) values ('2000-01-01Z', clock_timestamp() + interval '10 seconds', 0)`;
  await sql`update account.tiers set window_requests = 1000000000, month_requests = 1000000000`;
  const [row] = await sql<{ key: string }[]>`select account.mint_key('bench', 'pro') as key`;
  await sql`select pipeline.refresh_snapshot()`;
  await sql`analyze`;
  const isolate = await startIsolate(url);
  const yardstick = yardstickOn(url);
  return {
    sql,
    cluster: scratch.cluster,
    url,
    isolate,
    yardstick,
    key: row?.key ?? '',
    async close() {
      isolate.stop();
      await yardstick.close();
      await sql.end({ timeout: 2 });
    },
  };
}

function frameOf(n: number): SeedFrame {
  const ask = 300_000 + (n % 40) * 10_000;
  const asks = [ask, 990_000 - ask];
  const sizes = [100, 100];
  return { at: new Date().toISOString(), ask_a: asks, ask_b: [...asks].reverse(), size_a: sizes, size_b: sizes };
}

const path = (limit: number) => `/api/v2/markets?limit=${limit}`;

/** The statement that renders the page, as api.call_data_route runs it, without key, admission or HTTP. */
function bareOf(limit: number): string {
  const { params, issues } = parseMarkets(`http://bench${path(limit)}`);
  if (issues.length > 0) throw new Error('the request of the bench is refused');
  return `select body from api.get_markets('${JSON.stringify(params).replaceAll("'", "''")}'::jsonb)`;
}

async function rateOf(callers: readonly Caller[], request: string, seconds: number): Promise<number> {
  const from = performance.now();
  let done = 0;
  const one = async (caller: Caller) => {
    while (performance.now() - from < seconds * 1000) {
      await caller.ask(request);
      done += 1;
    }
  };
  await Promise.all(callers.map(one));
  return (done * 1000) / (performance.now() - from);
}

/** Requests a second within a step, over four connections, beside the bare SQL that renders the same page over as many. */
async function steady(at: Stage, pairs: number, seconds: number, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  const callers = await Promise.all(
    Array.from({ length: connections }, () => Caller.open(Number(new URL(at.isolate.base).port))),
  );
  try {
    for (const [limit, target] of [
      [50, 0.75],
      [500, 4],
    ] as const) {
      progress(`GET /v2/markets?limit=${limit}, steady, ${pairs} pairs`);
      const request = getOf(path(limit), at.key, true);
      const cost = { bare: [] as number[], ours: [] as number[] };
      const costing = async (whose: keyof typeof cost, rate: () => Promise<number>) => {
        const before = processorOfAll(at.cluster, [at.isolate.pid]);
        const found = await rate();
        const spent = processorOfAll(at.cluster, [at.isolate.pid]) - before;
        cost[whose].push((spent * 1000) / (found * seconds));
        return found;
      };
      const found = await inTurns(rounds, {
        bare: () => costing('bare', () => at.yardstick.rate(bareOf(limit), connections, seconds)),
        ours: () => costing('ours', () => rateOf(callers, request, seconds)),
      });
      const [ours, bare] = [Math.round(median(cost.ours)), Math.round(median(cost.bare))];
      rows.push(
        rowOf({
          name: `GET /v2/markets?limit=${limit} gzip, steady state, ${pairs} pairs`,
          ratio: found.ours / found.bare,
          target,
          better: 'higher',
          detail: `${Math.round(found.ours)} a second; ${at.yardstick.name} of the bare SQL ${Math.round(found.bare)}; processor ${ours} us, of the bare SQL ${bare} us`,
        }),
      );
    }
  } finally {
    for (const caller of callers) caller.close();
  }
  return rows;
}

/**
 * One request whose page the isolate does not hold any more, as at every step, beside the same SQL over the driver that the function uses.
 * Not zipped, since the yardstick zips nothing; what gzip adds is told.
 */
async function cold(at: Stage, pairs: number, times: number): Promise<Row[]> {
  progress(`a cold request, ${pairs} pairs`);
  const caller = await Caller.open(Number(new URL(at.isolate.base).port));
  const pool = connect(at.url, () => {}, 1);
  const after = async (work: () => Promise<unknown>) => {
    // The next version of the same rows.
    await at.sql`update price.snapshot_state set change_no = change_no + 1`;
    return await timed(work);
  };
  try {
    const found = await inTurns(times, {
      bare: () => after(() => pool.query(bareOf(500))),
      plain: () => after(() => caller.ask(getOf(path(500), at.key, false))),
      zipped: () => after(() => caller.ask(getOf(path(500), at.key, true))),
    });
    const ms = (took: number) => `${took.toFixed(1)} ms`;
    return [
      rowOf({
        name: `a cold request, limit=500, ${pairs} pairs`,
        ratio: found.plain / found.bare,
        target: 1.5,
        better: 'lower',
        detail: `${ms(found.plain)}, zipped ${ms(found.zipped)}; the same SQL over the same driver ${ms(found.bare)}`,
      }),
    ];
  } finally {
    caller.close();
    await pool.end(1_000);
  }
}

export async function markets(
  scratch: TemporaryPostgres,
  house: string,
  sizes: readonly number[],
  seconds = 2,
  rounds = 3,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const pairs of sizes) {
    progress(`a catalog of ${pairs} pairs`);
    const at = await stage(scratch, house, pairs);
    try {
      rows.push(...(await steady(at, pairs, seconds, rounds)), ...(await cold(at, pairs, 5 * rounds)));
    } finally {
      await at.close();
    }
  }
  return rows;
}
