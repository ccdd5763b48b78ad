import {
  type BacktestProgress,
  describeProgress,
  describeRules,
  isComplete,
  readProgress,
} from '../../backtest/progress.ts';
import type { Sql } from '../postgres/template.ts';
import { errorText } from '../user_error.ts';
import { sleep } from './process.ts';

const POLL_MS = 1_000;
/** Progress is printed this often while it moves. */
const PRINT_MS = 15_000;

/**
 * Prints how far the backtest is: once the first rules have parity, then every PRINT_MS, and when
 * every competition was read. The ingest function runs it.
 */
export class BacktestLines {
  readonly #connect: () => Sql;
  readonly #printLine: (line: string) => void;
  #isStopped = false;
  #loop: Promise<void> | undefined;

  constructor(connect: () => Sql, printLine: (line: string) => void) {
    this.#connect = connect;
    this.#printLine = printLine;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#loop;
  }

  async #run(): Promise<void> {
    const sql = this.#connect();
    let printedAt = 0;
    let printed = '';
    try {
      while (!this.#isStopped) {
        const progress = await readProgress(sql).catch(() => null);
        const line = progress && this.#lineOf(progress);
        const isFirst = printed === '' && (progress?.done ?? 0) > 0;
        const isDue = isFirst || Date.now() - printedAt >= PRINT_MS || (progress !== null && isComplete(progress));
        if (line && isDue && line !== printed && (progress.done > 0 || progress.lastError !== null)) {
          this.#printLine(`backtest           ${line}`);
          printedAt = Date.now();
          printed = line;
        }
        await this.#pause(POLL_MS);
      }
    } catch (error) {
      this.#printLine(`backtest           progress could not be read: ${errorText(error)}`);
    } finally {
      await sql.end({ timeout: 1 }).catch(() => {});
    }
  }

  #lineOf(progress: BacktestProgress): string {
    if (progress.lastError !== null && progress.done === 0)
      return `could not read the settled history yet: ${progress.lastError.slice(0, 200)}`;
    const line = describeProgress(progress);
    return isComplete(progress) ? `${line}; ${describeRules(progress)}` : line;
  }

  async #pause(milliseconds: number): Promise<void> {
    const end = Date.now() + milliseconds;
    while (!this.#isStopped && Date.now() < end) await sleep(Math.min(100, milliseconds));
  }
}
