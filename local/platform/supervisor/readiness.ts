import { z } from 'zod';
import type { Sql } from '../postgres/template.ts';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

export type Readiness = {
  sql: Sql;
  baseUrl: string;
  /** How long to wait for prices, ms. With real venues or a recording nobody can promise that there are any. */
  patienceMs: number;
  /** Real time (epoch milliseconds) from which market time no longer hurries. */
  calmFromMs: number;
  /** True when the stack is being stopped: no more waiting. */
  given(): boolean;
  progress(line: string): void;
};

const health = z.object({ status: z.string(), venues: z.record(z.string(), z.object({ state: z.string() })) });

/** With a whole pass made and books asked for, those that have not come by now will not: a recording may lack some. */
const MAX_BOOK_DELAY_MS = 6_000;

/**
 * Waits until both venues' listings have been read once, the match pass has run over them, and the books of what it paired are
 * here. Until then market time stands still.
 */
export async function waitForListings(wait: Omit<Readiness, 'calmFromMs'>): Promise<void> {
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

/** Waits until `GET /health` says that both feeds are up and until REST has prices; says what is missing every few seconds. */
export async function waitForPrices(wait: Readiness): Promise<void> {
  await waitUntilNothingMissing(wait, () => missingPrices(wait));
}

async function waitUntilNothingMissing<T extends Omit<Readiness, 'calmFromMs'>>(
  wait: T,
  look: (wait: T) => Promise<string>,
): Promise<void> {
  const began = Date.now();
  let [lastWord, lastAt] = ['', Date.now()];
  for (;;) {
    const missing = await look(wait);
    if (missing === '' || wait.given()) return;
    if (Date.now() - began > wait.patienceMs) {
      wait.progress(`going on without: ${missing}`);
      return;
    }
    // A new word is said after a moment (most pass at once), an old one again when it lasts.
    if (missing !== lastWord) [lastWord, lastAt] = [missing, Date.now() - 4_000];
    else if (Date.now() - lastAt > 5_000) {
      wait.progress(`waiting for ${missing}`);
      lastAt = Date.now();
    }
    await sleep(100);
  }
}

/** In words, or '' when nothing is. */
async function missingPrices({ sql, baseUrl, calmFromMs }: Readiness): Promise<string> {
  try {
    const answer = await fetch(`${baseUrl}/health`, { signal: AbortSignal.timeout(5_000) });
    if (answer.status !== 200) return `the API (its health is HTTP ${answer.status})`;
    const read = health.safeParse(await answer.json());
    if (!read.success) return 'a health report that can be read';
    const silent = Object.entries(read.data.venues).filter(([, venue]) => venue.state !== 'up');
    if (silent.length > 0) return silent.map(([name, venue]) => `${name} (${venue.state})`).join(' and ');
    const [priced] = await sql<
      { found: boolean }[]
    >`select to_regprocedure('price.is_snapshot_ready()') is not null as found`;
    if (!priced?.found) return '';
    // Each request that reads prices does this, and cron every 5 s: here the first request would be too late.
    await sql`select pipeline.refresh_snapshot()`;
    const [state] = await sql<{ yes: boolean }[]>`select price.is_snapshot_ready() as yes`;
    if (!state?.yes) return 'prices that are old enough for REST';
    return Date.now() < calmFromMs ? 'the last minutes to be played in' : '';
  } catch (error) {
    return `the API (${errorText(error)})`;
  }
}
