import type { TransactionSql } from 'postgres';
import { z } from 'zod';
import type { Sql } from '../postgres/template.ts';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

/**
 * The settled history of the simulated venues, loaded as an operator would load that of real
 * venues. A new database has seen no settlement, so no rule would have parity and no row could be
 * an arbitrage. Not used with real venues or a recording.
 */
const historySchema = z.object({
  from: z.string(),
  until: z.string(),
  rows: z.array(
    z.object({
      series: z.string(),
      family: z.string(),
      alike: z.number(),
      edge_cases: z.number(),
      apart: z.number(),
    }),
  ),
});
export type SettledHistory = z.infer<typeof historySchema>;

/**
 * `rules` can only be closed by parity; `open` of them have parity now; `loaded` rows of history
 * are new.
 */
export type BacktestResult = { rules: number; open: number; loaded: number; occasions: number };

type MissingBacktest = { rule_id: string; series: string; family: string; own_diverging: number };

const sourceOf = (series: string): string => `simulated past of ${series}`;

/**
 * Loads the missing history of every rule whose pairs have all other gates open. Repeated calls
 * change nothing.
 */
export async function loadBacktests(owner: Sql, past: SettledHistory): Promise<BacktestResult> {
  const known = new Map(past.rows.map((row) => [`${row.series} ${row.family}`, row]));
  return await owner.begin(async (sql) => {
    const wanted = await sql<(MissingBacktest & { there: boolean })[]>`
      with eligible as (
        select distinct p.rule_id, split_part(p.event_a, '-', 1) as series, p.market_type as family
        from catalog.pairs p
        join catalog.match_gates g on g.pair_id = p.pair_id
        where p.withdrawn_at is null
          and g.band_ok
          and g.risk_ok
      )
      select e.*, r.diverging as own_diverging,
             exists (
               select from catalog.backtests b
               where b.rule_id = e.rule_id
                 and b.source = ${sourceOf('')} || e.series
             ) as there
      from eligible e
      join catalog.rules r on r.rule_id = e.rule_id
      where (r.first_seen_at at time zone 'UTC')::date > ${past.until}::date
      order by e.rule_id, e.series`;
    const rows = wanted.flatMap((rule) => {
      const row = rule.there ? undefined : known.get(`${rule.series} ${rule.family}`);
      return row ? [{ rule, row }] : [];
    });
    const reset =
      await sql`update catalog.parity_settings set min_own_occasions = 0 where min_own_occasions > 0 returning singleton`;
    if (rows.length > 0) {
      const loaded = rows.map(({ rule, row }) => ({
        rule_id: rule.rule_id,
        source: sourceOf(rule.series),
        from_date: past.from,
        until_date: past.until,
        agreeing: row.alike + row.edge_cases,
        diverging: row.apart,
        note: 'Counted from the draws that settle the simulation. No such events took place.',
      }));
      await sql`select catalog.load_backtest(${sql.json(loaded)})`;
      await reviewRules(sql, rows);
    }
    if (reset.length > 0) await sql`select catalog.update_rule_parity()`;
    if (reset.length + rows.length > 0) await sql`select catalog.publish_parity_changes(100000)`;
    const rules = [...new Set(wanted.map((one) => one.rule_id))];
    const [state] = await sql<{ open: number }[]>`
      select count(*)::integer as open
      from catalog.rules r
      where r.rule_id in (select jsonb_array_elements_text(${sql.json(rules)}))
        and r.confirmed_at is not null
        and r.withdrawn_at is null`;
    const occasions = rows.reduce((sum, { row }) => sum + row.alike + row.edge_cases + row.apart, 0);
    return { rules: rules.length, open: state?.open ?? 0, loaded: rows.length, occasions };
  });
}

/**
 * Confirms rules that diverged in the history only: the divergence stays in the count. A rule that
 * diverged in this database needs a review by a person.
 */
async function reviewRules(
  sql: TransactionSql,
  rows: readonly { rule: MissingBacktest; row: { apart: number } }[],
): Promise<void> {
  const diverged = new Set(
    rows.filter(({ rule, row }) => row.apart > 0 && rule.own_diverging === 0).map(({ rule }) => rule.rule_id),
  );
  for (const rule of diverged) {
    await sql`select catalog.review_rule(${rule}, 'keep', 'simulation',
      'Simulated games of past seasons, drawn by the settlement model of the simulation. They stay in the count.')`;
  }
}

/** Interval of the checks for new rules. */
const RELOAD_MS = 15_000;
const NOT_READY_RETRY_MS = 200;
/** The start waits at most this long for the history. */
const FIRST_TIMEOUT_MS = 10_000;

/**
 * Loads the settled history. The simulator computes it from the construction on; `first` loads the
 * rules that exist then; later rules follow until `stop`. `connect` opens a connection as the
 * owner.
 */
export class BacktestLoader {
  readonly #origin: string;
  readonly #connect: () => Sql;
  readonly #printLine: (line: string) => void;
  readonly #history: Promise<SettledHistory | null>;
  #isStopped = false;
  #isFirst = true;
  #failures = 0;
  #loop: Promise<void> | undefined;

  constructor(origin: string, connect: () => Sql, printLine: (line: string) => void) {
    this.#origin = origin;
    this.#connect = connect;
    this.#printLine = printLine;
    this.#history = this.#fetchUntilReady();
  }

  /**
   * Resolves when the current rules have their history, or after FIRST_TIMEOUT_MS; later attempts
   * continue.
   */
  async first(): Promise<void> {
    const loaded = this.#load();
    this.#loop = loaded.then(() => this.#reload());
    await Promise.race([loaded, sleep(FIRST_TIMEOUT_MS)]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
  }

  async #fetchUntilReady(): Promise<SettledHistory | null> {
    while (!this.#isStopped) {
      // The simulator may restart. The history is not lost by waiting.
      const history = await fetchHistory(this.#origin).catch((error: unknown) => this.#onFailure(error));
      if (history) return history;
      await this.#pause(NOT_READY_RETRY_MS);
    }
    return null;
  }

  async #reload(): Promise<void> {
    for (;;) {
      await this.#pause(RELOAD_MS);
      if (this.#isStopped) return;
      await this.#load();
    }
  }

  async #load(): Promise<void> {
    const history = await this.#history;
    if (!history || this.#isStopped) return;
    try {
      const sql = this.#connect();
      const result = await loadBacktests(sql, history).finally(() => sql.end({ timeout: 1 }));
      if (this.#isFirst || result.loaded > 0) {
        this.#printLine(`settled history    ${describeResult(result, history, this.#isFirst)}`);
      }
      this.#isFirst = false;
      this.#failures = 0;
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** Logs a persistent failure once. */
  #onFailure(error: unknown): null {
    this.#failures += 1;
    if (this.#failures === 4)
      this.#printLine(`settled history    could not be loaded: ${errorText(error).slice(0, 300)}`);
    return null;
  }

  async #pause(milliseconds: number): Promise<void> {
    const end = Date.now() + milliseconds;
    while (!this.#isStopped && Date.now() < end) await sleep(Math.min(100, milliseconds));
  }
}

/** Null while the simulator is still computing. */
async function fetchHistory(origin: string): Promise<SettledHistory | null> {
  const response = await fetch(`${origin}/_sim/history`, { signal: AbortSignal.timeout(5_000) });
  if (response.status === 202) return null;
  if (response.status !== 200) throw new Error(`the simulator returned HTTP ${response.status} for its history`);
  return historySchema.parse(await response.json());
}

function describeResult(
  { rules, open, loaded, occasions }: BacktestResult,
  { from, until }: SettledHistory,
  first: boolean,
): string {
  const state = `${open} of ${rules} rules have parity`;
  if (loaded === 0) return `is in place: ${state}`;
  const summary = `SIMULATED, ${occasions.toLocaleString('en-US')} occasions of ${from} to ${until}: ${state}`;
  return first
    ? `${summary}; min_own_occasions is 0, because a new simulation has no settled events of its own`
    : summary;
}
