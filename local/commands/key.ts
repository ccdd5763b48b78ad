// npm run key -- --tier pro [--org NAME] [--name NAME] [--expires WHEN] [--read-only] [--port N]
// [--data DIR]: creates an API key for the running stack and prints it on the last line.
import type { Output } from '../command.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { readOptions, withDatabase } from '../platform/supervisor/operator_cli.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run key -- [options]

  --tier T      free, basic, premium or pro (default pro)
  --org NAME    the organization of the key; created if it does not exist (default "local")
  --name NAME   the name of the key (default "minted by an operator")
  --expires W   when it expires: a number of days (90d) or a date (2027-01-31, its end in UTC);
                default: never
  --read-only   the key cannot change anything: no webhooks, no reports
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

export async function main(args: readonly string[], output: Output): Promise<number> {
  const values = readOptions(args, {
    tier: { type: 'string', default: 'pro' },
    org: { type: 'string', default: 'local' },
    name: { type: 'string', default: 'minted by an operator' },
    expires: { type: 'string' },
    'read-only': { type: 'boolean', default: false },
    data: { type: 'string' },
    port: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const stack = stackAt(values);
  const expiresAt = expiryOf(values.expires);
  const scope = values['read-only'] ? 'read_only' : 'full';
  const key = await withDatabase(stack.database_url, async (sql) => {
    const [row] = await sql<{ key: string }[]>`
      select account.mint_key(${values.org}, ${values.tier}, ${values.name}, ${expiresAt}, ${scope}) as key`;
    if (!row?.key) throw new Error('account.mint_key returned nothing');
    return row.key;
  });
  const limits = `${scope === 'full' ? '' : '  read-only'}${expiresAt ? `  expires ${expiresAt.toISOString()}` : ''}`;
  output.log(`${stack.base_url}  organization "${values.org}"  tier ${values.tier}${limits}`);
  output.log(key);
  return 0;
}

const DAY_MS = 86_400_000;

/** The time of --expires: from now, or the end of a UTC day. Null without the option. */
function expiryOf(given: string | undefined): Date | null {
  if (given === undefined) return null;
  const [, days] = /^(\d{1,4})d$/.exec(given) ?? [];
  if (days !== undefined) return new Date(Date.now() + Number(days) * DAY_MS);
  const start = /^\d{4}-\d\d-\d\d$/.test(given) ? Date.parse(`${given}T00:00:00Z`) : Number.NaN;
  // Date.parse accepts 2027-02-30 and moves it to March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== given) {
    throw new UserError('--expires takes a number of days, such as 90d, or a date, such as 2027-01-31.');
  }
  return new Date(start + DAY_MS);
}
