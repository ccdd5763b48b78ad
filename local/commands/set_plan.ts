// npm run plan -- --org NAME --tier T --status S [--port N] [--data DIR]: sets the plan of an
// organization in the running stack.

import type { Output } from '../command.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';
import { readOptions, withDatabase } from '../platform/supervisor/operator_cli.ts';
import { parseNumber } from '../platform/supervisor/options.ts';
import { UserError } from '../platform/user_error.ts';

const usage = `npm run plan -- --org NAME [options]

  --org NAME    the organization, by name or id; an ambiguous name is rejected
  --tier T      free, basic, premium or pro (default: unchanged)
  --status S    active or inactive (default: unchanged)
  --lease P     request leases of at most P percent of the window, 0 to 25; 0 is off
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

type Plan = { org_id: string; tier: string; status: string; lease: number; changed: boolean; leased: boolean };

export async function main(args: readonly string[], output: Output): Promise<number> {
  const values = readOptions(args, {
    org: { type: 'string' },
    tier: { type: 'string' },
    status: { type: 'string' },
    lease: { type: 'string' },
    data: { type: 'string' },
    port: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  if (values.help) {
    output.log(usage);
    return 0;
  }
  const { org, tier = null, status = null } = values;
  if (org === undefined) throw new UserError('Name the organization with --org NAME.');
  const lease =
    values.lease === undefined ? null : parseNumber('--lease', values.lease, 0, { min: 0, max: 25, whole: true });
  const stack = stackAt(values);
  const plan = await withDatabase(stack.database_url, async (sql) => {
    const [row] = await sql<Plan[]>`
      with was as materialized (
        select s.* from account.subscriptions s where s.org_id = account.find_organization(${org})
      )
      select w.org_id, coalesce(${tier}, w.tier) as tier, coalesce(${status}, w.status) as status,
             account.set_plan(w.org_id, coalesce(${tier}, w.tier), coalesce(${status}, w.status)) as changed,
             coalesce(${lease}::integer, w.lease_percent) as lease,
             case when ${lease}::integer is not null then account.set_lease_percent(w.org_id, ${lease}) else false end
               as leased
      from was w`;
    if (!row) throw new Error('The organization has no subscription.');
    return row;
  });
  const state = plan.changed || plan.leased ? 'from its next request on' : 'unchanged';
  const leases = plan.lease > 0 ? `  leases of ${plan.lease} %` : '';
  output.log(`organization "${org}" (${plan.org_id})  tier ${plan.tier}  ${plan.status}${leases}, ${state}`);
  return 0;
}
