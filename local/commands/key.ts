// npm run key -- --tier pro [--org NAME] [--port N] [--data DIR]: creates an API key for the
// running stack and prints it on the last line.
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { readOptions, withDatabase } from '../platform/supervisor/operator_cli.ts';

const usage = `npm run key -- [options]

  --tier T      free, basic, premium or pro (default pro)
  --org NAME    the organization of the key; created if it does not exist (default "local")
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

export async function main(): Promise<void> {
  const values = readOptions({
    tier: { type: 'string', default: 'pro' },
    org: { type: 'string', default: 'local' },
    data: { type: 'string' },
    port: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    console.log(usage);
    return;
  }
  const stack = stackAt(values);
  const key = await withDatabase(stack.database_url, async (sql) => {
    const [row] = await sql<{ key: string }[]>`select account.mint_key(${values.org}, ${values.tier}) as key`;
    if (!row?.key) throw new Error('account.mint_key returned nothing');
    return row.key;
  });
  console.log(`${stack.base_url}  organization "${values.org}"  tier ${values.tier}`);
  console.log(key);
}
