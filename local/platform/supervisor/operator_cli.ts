// Shared code of the operator commands (local/commands/key.ts, local/commands/set_plan.ts):
// options, and a query on the database of the stack.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import postgres from 'postgres';
import { errorCode, errorText, UserError } from '../user_error.ts';

/** Parses the command line. Throws UserError with the list of options for an unknown one. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: O,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UserError(
      `${errorText(error).split('. ')[0]}. Options: ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(' ')}.`,
    );
  }
}

/**
 * Runs `work` on a database as its operator. Errors of the database become UserErrors, because they
 * are written for people.
 */
export async function withDatabase<T>(databaseUrl: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } catch (error) {
    if (errorCode(error) === '42883' || errorCode(error) === '3F000') {
      throw new UserError(
        'The migrations of this stack are older than this command. Restart the stack with the current version.',
      );
    }
    if (error instanceof postgres.PostgresError) throw new UserError(error.message);
    throw error;
  } finally {
    await sql.end();
  }
}
