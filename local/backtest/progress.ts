import type { Sql } from '../platform/postgres/template.ts';

/** How far the backtest of a database is. Scopes are competitions, assets, cities, institutions. */
export type BacktestProgress = {
  scopes: number;
  done: number;
  failed: number;
  /** The scope that is read or matched now. */
  current: string | null;
  listings: number;
  occasions: number;
  diverging: number;
  /** Real seconds since the first scope of this run started. */
  seconds: number;
  lastError: string | null;
  rules: { confirmed: number; pooled: number; withdrawn: number; refused: number; unconfirmed: number };
};

export async function readProgress(sql: Sql): Promise<BacktestProgress> {
  const [row] = await sql<(Omit<BacktestProgress, 'rules' | 'lastError'> & { last_error: string | null })[]>`
    select count(*)::integer as scopes,
           (count(*) filter (where p.state = 'done'))::integer as done,
           (count(*) filter (where p.state = 'failed'))::integer as failed,
           max(p.scope) filter (where p.state in ('reading', 'matching')) as current,
           coalesce(sum(p.listings_a + p.listings_b), 0)::integer as listings,
           coalesce(sum(p.occasions) filter (where p.state = 'done'), 0)::integer as occasions,
           coalesce(sum(p.diverging) filter (where p.state = 'done'), 0)::integer as diverging,
           coalesce(extract(epoch from coalesce(
             case when bool_and(p.state = 'done') then max(p.finished_at) end, clock_timestamp()
           ) - min(p.started_at)), 0)::float8 as seconds,
           max(p.last_error) filter (where p.state <> 'done') as last_error
    from catalog.backtest_progress p`;
  const states = await sql<{ state: keyof BacktestProgress['rules']; rules: number }[]>`
    select r.state, count(*)::integer as rules from catalog.rules r group by 1`;
  if (!row) throw new Error('catalog.backtest_progress returned no row.');
  const { last_error, ...counts } = row;
  const rules = { confirmed: 0, pooled: 0, withdrawn: 0, refused: 0, unconfirmed: 0 };
  for (const one of states) rules[one.state] = one.rules;
  return { ...counts, lastError: last_error, rules };
}

/** Whether every scope has been read, or failed for now. */
export const isComplete = (progress: BacktestProgress): boolean =>
  progress.scopes > 0 && progress.done + progress.failed === progress.scopes;

/** One line: how far, how fast, and how long the rest takes at this rate. */
export function describeProgress(progress: BacktestProgress): string {
  const { scopes, done, current, listings, occasions, seconds } = progress;
  const count = (value: number): string => value.toLocaleString('en-US');
  const rate = seconds > 0 ? `, ${count(Math.round(occasions / seconds))} a second` : '';
  const left = done > 0 ? ((scopes - done) * seconds) / done : null;
  const rest = isComplete(progress) || left === null ? '' : `, about ${duration(left)} left`;
  const now = current === null || isComplete(progress) ? '' : `, now ${current}`;
  return `${done} of ${scopes} competitions read${now}: ${count(listings)} listings, ${count(occasions)} occasions${rate}${rest}`;
}

/** One line: the states of all rules. */
export function describeRules({ rules, diverging }: BacktestProgress): string {
  const closed = [
    rules.withdrawn > 0 ? `${rules.withdrawn} withdrawn after ${diverging} diverging occasions` : '',
    rules.refused > 0 ? `${rules.refused} refused in review` : '',
  ].filter((part) => part !== '');
  return [
    `${rules.confirmed} rules confirmed`,
    `${rules.pooled} by a pool`,
    ...closed,
    `${rules.unconfirmed} with too few occasions`,
  ].join(', ');
}

function duration(seconds: number): string {
  return seconds < 90 ? `${Math.max(1, Math.round(seconds))} s` : `${Math.round(seconds / 60)} min`;
}
