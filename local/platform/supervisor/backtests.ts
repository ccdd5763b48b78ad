import type { TransactionSql } from 'postgres';
import { z } from 'zod';
import type { Sql } from '../postgres/template.ts';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

/**
 * The settled past of the simulated venues, brought in as an operator would bring that of real ones. A fresh database has seen nothing
 * settle, so that no rule would have parity and no row could be an arb. With real venues or a recording nobody calls this.
 */
const told = z.object({
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
export type SettledHistory = z.infer<typeof told>;

/** `rules`: those that only parity may close; `open`: those of them that have it now; `brought`: rows of history that are new. */
export type BacktestResult = { rules: number; open: number; brought: number; occasions: number };

type Missing = { rule_id: string; series: string; family: string; own_diverging: number };

const sourceOf = (series: string): string => `simulated past of ${series}`;

/** Loads what is missing of the past for every rule whose pairs have all other gates open. Run again, it changes nothing. */
export async function loadBacktests(owner: Sql, past: SettledHistory): Promise<BacktestResult> {
  const known = new Map(past.rows.map((row) => [`${row.series} ${row.family}`, row]));
  return await owner.begin(async (sql) => {
    const wanted = await sql<(Missing & { there: boolean })[]>`
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
        note: 'Counted from the draws that settle the simulation; nothing of it happened.',
      }));
      await sql`select catalog.load_backtest(${sql.json(loaded)})`;
      await reviewed(sql, rows);
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
    return { rules: rules.length, open: state?.open ?? 0, brought: rows.length, occasions };
  });
}

/** What diverged in the past stays in the count; what has diverged here is for a person to look at. */
async function reviewed(
  sql: TransactionSql,
  rows: readonly { rule: Missing; row: { apart: number } }[],
): Promise<void> {
  const parted = new Set(
    rows.filter(({ rule, row }) => row.apart > 0 && rule.own_diverging === 0).map(({ rule }) => rule.rule_id),
  );
  for (const rule of parted) {
    await sql`select catalog.review_rule(${rule}, 'keep', 'simulation',
      'Games of past seasons that were not played, as the settlement model of the simulation draws them: kept in the count.')`;
  }
}

/** New pairs may come under new rules: looked at so often. */
const RELOAD_MS = 15_000;
const NOT_READY_RETRY_MS = 200;
/** The start does not wait longer for the past. */
const FIRST_TIMEOUT_MS = 10_000;

/**
 * Brings the settled past in. From its construction on the simulator counts; `first` loads the rules
 * that exist then; rules that appear later follow until `stop`. `connect` opens a connection as the owner.
 */
export class BacktestLoader {
  readonly #origin: string;
  readonly #connect: () => Sql;
  readonly #printLine: (line: string) => void;
  readonly #history: Promise<SettledHistory | null>;
  #stopped = false;
  #first = true;
  #failures = 0;
  #loop: Promise<void> | undefined;

  constructor(origin: string, connect: () => Sql, say: (line: string) => void) {
    this.#origin = origin;
    this.#connect = connect;
    this.#printLine = say;
    this.#history = this.#counted();
  }

  /** Resolves when the rules of now have their record, or after FIRST_MS without: later tries follow. */
  async first(): Promise<void> {
    const brought = this.#load();
    this.#loop = brought.then(() => this.#reload());
    await Promise.race([brought, sleep(FIRST_TIMEOUT_MS)]);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  async #counted(): Promise<SettledHistory | null> {
    while (!this.#stopped) {
      // While the simulator restarts nothing is lost by waiting.
      const past = await fetchHistory(this.#origin).catch((error: unknown) => this.#onFailure(error));
      if (past) return past;
      await this.#pause(NOT_READY_RETRY_MS);
    }
    return null;
  }

  async #reload(): Promise<void> {
    for (;;) {
      await this.#pause(RELOAD_MS);
      if (this.#stopped) return;
      await this.#load();
    }
  }

  async #load(): Promise<void> {
    const past = await this.#history;
    if (!past || this.#stopped) return;
    try {
      const sql = this.#connect();
      const brought = await loadBacktests(sql, past).finally(() => sql.end({ timeout: 1 }));
      if (this.#first || brought.brought > 0) {
        this.#printLine(`settled past       ${describeResult(brought, past, this.#first)}`);
      }
      this.#first = false;
      this.#failures = 0;
    } catch (error) {
      this.#onFailure(error);
    }
  }

  /** A failure that lasts is logged once. */
  #onFailure(error: unknown): null {
    this.#failures += 1;
    if (this.#failures === 4)
      this.#printLine(`settled past       cannot be brought in: ${errorText(error).slice(0, 300)}`);
    return null;
  }

  async #pause(milliseconds: number): Promise<void> {
    const end = Date.now() + milliseconds;
    while (!this.#stopped && Date.now() < end) await sleep(Math.min(100, milliseconds));
  }
}

/** Null while the simulator is counting. */
async function fetchHistory(origin: string): Promise<SettledHistory | null> {
  const answer = await fetch(`${origin}/_sim/history`, { signal: AbortSignal.timeout(5_000) });
  if (answer.status === 202) return null;
  if (answer.status !== 200) throw new Error(`the simulator's history is HTTP ${answer.status}`);
  return told.parse(await answer.json());
}

function describeResult(
  { rules, open, brought, occasions }: BacktestResult,
  { from, until }: SettledHistory,
  first: boolean,
): string {
  const state = `${open} of ${rules} rules have parity`;
  if (brought === 0) return `is in place: ${state}`;
  const what = `SIMULATED, ${occasions.toLocaleString('en-US')} occasions of ${from} to ${until}: ${state}`;
  return first
    ? `${what}; none had to be seen here (min_own_occasions = 0), for a new simulation has seen nothing settle`
    : what;
}
