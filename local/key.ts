// npm run key -- --tier pro [--org NAME] [--port N] [--data DIR]: a fresh API key for the running stack, on the last line.
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { errorCode, errorText, PlainFailure } from './platform/failure.ts';
import { stackAt } from './supervisor/find.ts';

const usage = `npm run key -- [options]

  --tier T      free, basic, premium or pro (default pro)
  --org NAME    the organization that the key belongs to; made if there is none of that name (default "local")
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

const options = {
  tier: { type: 'string', default: 'pro' },
  org: { type: 'string', default: 'local' },
  data: { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

function read() {
  try {
    return parseArgs({ options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new PlainFailure(
      `${errorText(error).split('. ')[0]}. There are: ${Object.keys(options)
        .map((name) => `--${name}`)
        .join(' ')}.`,
    );
  }
}

async function main(): Promise<void> {
  const values = read();
  if (values.help) {
    console.log(usage);
    return;
  }
  const stack = stackAt(values);
  const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ key: string }[]>`select account.mint_key(${values.org}, ${values.tier}) as key`;
    if (!row?.key) throw new Error('account.mint_key returned nothing');
    console.log(`${stack.base_url}  organization "${values.org}"  tier ${values.tier}`);
    console.log(row.key);
  } catch (error) {
    if (errorCode(error) === '42883' || errorCode(error) === '3F000') {
      throw new PlainFailure(
        'The database of this stack cannot mint keys (no account.mint_key): its migrations are older than this command.',
      );
    }
    // The database's own refusal (an unknown tier, a blank name) is a sentence already.
    if (error instanceof postgres.PostgresError) throw new PlainFailure(error.message);
    throw error;
  } finally {
    await sql.end();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof PlainFailure ? error.message : error);
  process.exitCode = 1;
});
