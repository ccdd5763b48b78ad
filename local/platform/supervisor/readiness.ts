import { z } from 'zod';
import type { Sql } from '../postgres/template.ts';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

export type Readiness = {
  sql: Sql;
  baseUrl: string;
  /** How long to wait for prices, ms. With real venues or a recording there may be none. */
  timeoutMs: number;
  /** Real time (epoch ms) at which market time reaches its normal speed. */
  normalSpeedFromMs: number;
  /** True when the stack is being stopped. */
  isCancelled(): boolean;
  progress(line: string): void;
};

const health = z.object({ status: z.string(), venues: z.record(z.string(), z.object({ state: z.string() })) });

/**
 * After a whole match pass, books arrive within this time or not at all: a recording may lack some.
 */
const MAX_BOOK_DELAY_MS = 6_000;

/**
 * Waits until the listings of both venues have been read once, the match pass has processed them,
 * and the books of the pairs are available. Until then, market time is paused.
 */
export async function waitForListings(wait: Omit<Readiness, 'normalSpeedFromMs'>): Promise<void> {
  let passedAt: number | undefined;
  await waitUntilNothingMissing(wait, async ({ sql }) => {
    const [state] = await sql<{ swept: boolean; passed: boolean; pairs: number; framed: number }[]>`
      select (select count(*) = 2 from venue.sweeps s where s.finished_at is not null or s.sweep > 1) as swept,
             exists (
               select from catalog.match_passes p
               where p.finished_at is not null
                 and p.started_at >= (select max(s.finished_at) from venue.sweeps s)
             ) as passed,
             (select count(*)::integer from catalog.pairs p
              where p.withdrawn_at is null and p.status in ('open', 'live')) as pairs,
             (select count(*)::integer from price.latest_updates l) as framed`;
    if (!state?.swept) return 'the listings of both venues';
    if (!state.passed) return 'the first match pass';
    passedAt ??= Date.now();
    if (state.framed >= 0.95 * state.pairs || Date.now() - passedAt > MAX_BOOK_DELAY_MS) return '';
    return `books (${state.framed} of ${state.pairs} pairs)`;
  });
}

/** Longest wait for the first rule with parity. Later ones follow while the stack runs. */
const MAX_PARITY_DELAY_MS = 20_000;

/** Waits until the backtest has confirmed the first rule, or has read everything without one. */
export async function waitForParity(wait: Omit<Readiness, 'normalSpeedFromMs'>): Promise<void> {
  await waitUntilNothingMissing({ ...wait, timeoutMs: MAX_PARITY_DELAY_MS }, async ({ sql }) => {
    const [state] = await sql<{ confirmed: boolean; current: string | null; done: boolean | null }[]>`
      select exists (select from catalog.rules r where r.state in ('confirmed', 'pooled')) as confirmed,
             max(s.scope) filter (where s.state in ('reading', 'matching')) as current,
             bool_and(s.state = 'done') as done
      from catalog.backtest_scopes s`;
    if (state?.confirmed || state?.done) return '';
    return `the first settled history (${state?.current ?? 'not begun'})`;
  });
}

/**
 * Waits until `GET /health` reports both feeds as up and REST has prices. Prints the missing part
 * every few seconds.
 */
export async function waitForPrices(wait: Readiness): Promise<void> {
  await waitUntilNothingMissing(wait, () => missingPrices(wait));
}

async function waitUntilNothingMissing<T extends Omit<Readiness, 'normalSpeedFromMs'>>(
  wait: T,
  findMissing: (wait: T) => Promise<string>,
): Promise<void> {
  const startedAt = Date.now();
  let [lastMissing, lastAt] = ['', Date.now()];
  for (;;) {
    const missing = await findMissing(wait);
    if (missing === '' || wait.isCancelled()) return;
    if (Date.now() - startedAt > wait.timeoutMs) {
      wait.progress(`continuing without ${missing}`);
      return;
    }
    // A new reason is printed after a second, because most disappear at once. A persistent reason
    // is repeated.
    if (missing !== lastMissing) [lastMissing, lastAt] = [missing, Date.now() - 4_000];
    else if (Date.now() - lastAt > 5_000) {
      wait.progress(`waiting for ${missing}`);
      lastAt = Date.now();
    }
    await sleep(100);
  }
}

/** The missing part as text, or '' when nothing is missing. */
async function missingPrices({ sql, baseUrl, normalSpeedFromMs }: Readiness): Promise<string> {
  try {
    const answer = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5_000) });
    if (answer.status !== 200) return `the API (GET /health returned HTTP ${answer.status})`;
    const read = health.safeParse(await answer.json());
    if (!read.success) return 'a valid health report';
    const silent = Object.entries(read.data.venues).filter(([, venue]) => venue.state !== 'up');
    if (silent.length > 0) return silent.map(([name, venue]) => `${name} (${venue.state})`).join(' and ');
    const [priced] = await sql<
      { found: boolean }[]
    >`select to_regprocedure('price.is_snapshot_ready()') is not null as found`;
    if (!priced?.found) return '';
    // Each request that reads prices refreshes the snapshot, and cron does every 5 s. Without this,
    // the first request would wait for it.
    await sql`select pipeline.refresh_snapshot()`;
    const [state] = await sql<{ yes: boolean }[]>`select price.is_snapshot_ready() as yes`;
    if (!state?.yes) return 'prices that are old enough for REST';
    return Date.now() < normalSpeedFromMs ? 'the fast-forward of market time' : '';
  } catch (error) {
    return `the API (${errorText(error)})`;
  }
}
