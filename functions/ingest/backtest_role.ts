import { describeError } from '../_shared/pool/error_fields.ts';
import { backoffDelay, type Runtime } from '../_shared/runtime.ts';
import type { BacktestSource, SettledPage, SettledReader } from './backtest/source.ts';
import type { CpuBudget } from './cpu_budget.ts';
import type { IngestQueries } from './database.ts';
import type { LeaseKeeper } from './lease_keeper.ts';
import { VENUES, type VenueCode } from './listing.ts';
import { runLogged } from './repeat.ts';
import { MEASURED_CPU_MS } from './work_limits.ts';

/** The lease that one worker at a time holds while it reads the settled history. */
export const BACKTEST_LEASE = 'backtest';
/** Pauses without work: until the first match pass, and when every scope is read. */
const FIRST_IDLE_MS = 500;
const IDLE_MS = 15_000;
/** Pause of a venue whose listings of the scope are read before those of the other one. */
const WAIT_MS = 25;

export type BacktestRoleOptions = {
  queries: IngestQueries;
  leases: LeaseKeeper;
  /** Null when CPU is not limited. */
  budget: CpuBudget | null;
  /** Events of one page. */
  pageEvents: number;
  /** Opens the reader of a venue. It loads the parsers. */
  reader(venue: VenueCode): Promise<SettledReader>;
  runtime: Runtime;
  log(line: string): void;
  /** Aborted when the worker ends. */
  signal: AbortSignal;
  /** Called when the lease was released before the worker ends. */
  onRelease(): void;
};

type Outcome = 'worked' | 'waits' | 'idle' | 'lost' | 'out_of_cpu';

/**
 * Runs the backtest while the worker holds its lease: for each venue it asks the database for the
 * next step, reads a page of settled listings or lets the database match a scope. The database
 * keeps every cursor, so the next holder continues where this one stopped
 * (sql/38_catalog_backtest.sql).
 */
export class BacktestRole {
  readonly #options: BacktestRoleOptions;
  #running: Promise<void> | null = null;
  /** The page of a venue that is read while the one before it is stored. */
  readonly #ahead: Partial<Record<VenueCode, { source: string; page: Promise<SettledPage | null> }>> = {};
  #hasParsers = false;
  /** How long to wait for new scopes. Zero while a scope is read. */
  #idleMs = 0;
  pages = 0;

  constructor(options: BacktestRoleOptions) {
    this.#options = options;
  }

  /** Starts when the lease is held. Does nothing while it runs. */
  start(): void {
    const { leases, log } = this.#options;
    if (this.#running || !leases.holds(BACKTEST_LEASE)) return;
    const loops = VENUES.map((venue) => runLogged(log, `the backtest of ${venue}`, () => this.#run(venue)));
    this.#running = Promise.all(loops).then(() => {
      this.#running = null;
    });
  }

  /** Resolves when the current step has ended. It ends at the signal. */
  async finish(): Promise<void> {
    await this.#running;
  }

  async #run(venue: VenueCode): Promise<void> {
    const { leases, runtime, log, signal } = this.#options;
    let failures = 0;
    while (!signal.aborted && leases.holds(BACKTEST_LEASE)) {
      let wait = 0;
      try {
        const outcome = await this.#step(venue);
        failures = 0;
        if (outcome === 'lost') return;
        // A limited call without work ends: pg_cron starts the next one.
        if (outcome === 'out_of_cpu' || (outcome === 'idle' && this.#options.budget)) return await this.#release();
        // Between two pages the worker handles its books: each page waits for HTTP and for the
        // database.
        wait = outcome === 'idle' ? this.#idleMs : outcome === 'waits' ? WAIT_MS : 0;
      } catch (error) {
        log(`the backtest failed: ${describeError(error)}`);
        wait = backoffDelay(failures++, 1_000, 30_000, runtime.random);
      }
      await runtime.sleep(wait, signal);
    }
  }

  async #step(venue: VenueCode): Promise<Outcome> {
    const { queries } = this.#options;
    const token = this.#token();
    if (token === null) return 'lost';
    const step = await queries.nextBacktestStep(token, venue);
    if (step.step === 'lost') return 'lost';
    if (step.step === 'wait') return 'waits';
    if (step.step === 'none') {
      // The reader of venue_b follows that of venue_a, which starts the scopes.
      if (venue === 'venue_a') this.#idleMs = step.scopes === 0 ? FIRST_IDLE_MS : IDLE_MS;
      return this.#idleMs === 0 ? 'waits' : 'idle';
    }
    this.#idleMs = 0;
    try {
      if (step.step === 'match') {
        const matched = await queries.matchBacktest(token, step.scope);
        return matched === 'matched' ? 'worked' : matched === 'lost' ? 'lost' : 'waits';
      }
      return await this.#readSource(token, step);
    } catch (error) {
      await queries.recordBacktestFailure(token, step.scope, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /**
   * Reads a source page by page. The next page is requested before this one is parsed, and this one
   * is stored while the next one is parsed.
   */
  async #readSource(token: string, source: BacktestSource): Promise<Outcome> {
    const { queries, budget, reader, pageEvents, signal } = this.#options;
    if (!this.#hasParsers) budget?.charge(MEASURED_CPU_MS.parsersMs);
    this.#hasParsers = true;
    const venue = await reader(source.venue);
    let storing: ReturnType<IngestQueries['storeBacktestPage']> = Promise.resolve('stored');
    for (let cursor: string | null = source.cursor; !signal.aborted; ) {
      if (budget && !budget.tryPage()) return 'out_of_cpu';
      const current: BacktestSource = { ...source, cursor };
      const page = (await this.#takeAhead(current)) ?? (await venue.page(current, pageEvents));
      this.pages += 1;
      // A venue that answers with the cursor of the question would be read for ever.
      const next = page.cursor === cursor ? null : page.cursor;
      if (next !== null && !budget) this.#readAhead(venue, { ...source, cursor: next });
      const batch = await page.parse();
      if ((await storing) !== 'stored') break;
      storing = queries.storeBacktestPage(token, current, batch, next);
      // The next turn of the loop meets the error.
      storing.catch(() => {});
      if (next === null || budget) break;
      cursor = next;
    }
    return (await storing) === 'lost' ? 'lost' : 'worked';
  }

  /** Requests a page. A failure is met again, and recorded, when the page is due. */
  #readAhead(venue: SettledReader, source: BacktestSource): void {
    this.#ahead[source.venue] = {
      source: keyOf(source),
      page: venue.page(source, this.#options.pageEvents).catch(() => null),
    };
  }

  async #takeAhead(source: BacktestSource): Promise<SettledPage | null> {
    const ahead = this.#ahead[source.venue];
    delete this.#ahead[source.venue];
    return ahead?.source === keyOf(source) ? await ahead.page : null;
  }

  #token(): string | null {
    return this.#options.leases.tokens(BACKTEST_LEASE)[BACKTEST_LEASE] ?? null;
  }

  /** The CPU of this call is used up: the next call continues at once. */
  async #release(): Promise<void> {
    const { leases, log, onRelease } = this.#options;
    await runLogged(log, 'the release of the backtest', () => leases.release(BACKTEST_LEASE));
    onRelease();
  }
}

const keyOf = ({ scope, kind, filter, cursor, from_at }: BacktestSource): string =>
  JSON.stringify([scope, kind, filter, cursor, from_at]);
