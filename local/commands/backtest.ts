// npm run backtest -- [--days N] [--watch] [--port N] [--data DIR]: reads the settled history of
// both venues again and prints the state of every rule. The ingest function of the running stack
// does the work; this command only asks for it and follows it.
import { setTimeout as sleep } from 'node:timers/promises';
import { describeProgress, describeRules, isComplete, readProgress } from '../backtest/progress.ts';
import { printRules } from '../backtest/rules_table.ts';
import type { Output } from '../command.ts';
import type { Sql } from '../platform/postgres/template.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { readOptions, withDatabase } from '../platform/supervisor/operator_cli.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run backtest -- [options]

  --days N      days of settled history (default: as before, 120 at first)
  --watch       follow the backtest that runs, without starting it again
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)

On a hosted project: select catalog.request_backtest(120); then read catalog.backtest_progress.`;

const POLL_MS = 1_000;
const PRINT_MS = 5_000;
/** A worker claims the lease within seconds. */
const NO_WORK_MS = 60_000;

export async function main(args: readonly string[], output: Output): Promise<number> {
  const values = readOptions(args, {
    days: { type: 'string' },
    watch: { type: 'boolean', default: false },
    data: { type: 'string' },
    port: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const days = values.days === undefined ? null : Number(values.days);
  if (days !== null && !(Number.isInteger(days) && days >= 1 && days <= 4000))
    throw new UserError('--days must be a whole number from 1 to 4000.');
  await withDatabase(stackAt(values).database_url, async (sql) => {
    if (!values.watch) await request(sql, days, output);
    await follow(sql, output);
    await printRules(sql, output);
  });
  return 0;
}

async function request(sql: Sql, days: number | null, output: Output): Promise<void> {
  const [row] = await sql<{ scopes: number }[]>`select catalog.request_backtest(${days}::integer) as scopes`;
  if (!row?.scopes)
    throw new UserError('There are no pairs yet, so there is no rule to test. Wait for the first sweep.');
  output.log(`The settled history of ${row.scopes} competitions is read again.`);
}

/** Prints the progress until every scope was read. */
async function follow(sql: Sql, output: Output): Promise<void> {
  let printedAt = 0;
  let seen = '';
  let movedAt = Date.now();
  for (;;) {
    const progress = await readProgress(sql);
    const line = describeProgress(progress);
    if (isComplete(progress)) {
      output.log(line);
      output.log(describeRules(progress));
      return;
    }
    const mark = `${progress.done} ${progress.listings}`;
    if (mark !== seen) movedAt = Date.now();
    seen = mark;
    if (Date.now() - movedAt > NO_WORK_MS)
      throw new UserError(
        `No worker has read anything for a minute: is the ingest function running? ${progress.lastError ?? ''}`.trim(),
      );
    if (Date.now() - printedAt >= PRINT_MS) {
      output.log(line);
      if (progress.lastError !== null) output.log(`  the last step failed: ${progress.lastError}`);
      printedAt = Date.now();
    }
    await sleep(POLL_MS);
  }
}
