// What the commands of an operator share (local/commands/key.ts, local/commands/set_plan.ts): options in words, and a statement on the stack's database.
import { type ParseArgsConfig, parseArgs } from 'node:util';
import postgres from 'postgres';
import { errorCode, errorText, UserError } from '../user_error.ts';

/** The options of the command line; PlainFailure with a list of them where one is unknown. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(options: O) {
  try {
    return parseArgs({ options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new UserError(
      `${errorText(error).split('. ')[0]}. There are: ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(' ')}.`,
    );
  }
}

/** Runs `work` on a database as its operator. What the database refuses is a sentence already. */
export async function withDatabase<T>(databaseUrl: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    return await work(sql);
  } catch (error) {
    if (errorCode(error) === '42883' || errorCode(error) === '3F000') {
      throw new UserError('The database of this stack does not know this: its migrations are older than the command.');
    }
    if (error instanceof postgres.PostgresError) throw new UserError(error.message);
    throw error;
  } finally {
    await sql.end();
  }
}
