// npm run key -- --tier pro [--org NAME] [--port N] [--data DIR]: a fresh API key for the running stack, on the last line.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { errorCode, errorText, PlainFailure } from './platform/failure.ts';
import { runningStack } from './supervisor/folder.ts';
import { number } from './supervisor/options.ts';

const usage = `npm run key -- [options]

  --tier T      free, pro or whatever the tiers of this version are (default pro)
  --org NAME    the organization that the key belongs to; made if there is none of that name (default "local")
  --data DIR    the data folder of the stack (default .data)
  --port N      refuse unless the stack is at that port`;

const options = {
  tier: { type: 'string', default: 'pro' },
  org: { type: 'string', default: 'local' },
  data: { type: 'string', default: '.data' },
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
  const folder = resolve(values.data);
  const stack = runningStack(folder);
  if (!stack)
    throw new PlainFailure(
      `No stack runs on ${folder}: start it with "npm start" (and wait for "ready"), or name its folder with --data.`,
    );
  const port = number('--port', values.port, stack.port, { min: 1, max: 65_535, whole: true });
  if (port !== stack.port)
    throw new PlainFailure(
      `The stack on ${folder} is at port ${stack.port}, not ${port}: name the other's folder with --data.`,
    );
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
