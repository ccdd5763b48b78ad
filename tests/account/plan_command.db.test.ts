import { expect, test } from 'vitest';
import type { Command } from '../../local/command.ts';
import * as mintKey from '../../local/commands/key.ts';
import * as setPlan from '../../local/commands/set_plan.ts';
import { callCommand } from '../support/command.ts';
import { databaseOfStack } from '../support/database_of_stack.ts';
import { auditRows, organization, rpc } from './support/people.ts';

// Runs the commands against a test database. The data folder states that a stack runs there, as
// npm start would.
const stack = databaseOfStack();

async function run(command: Command, args: string[]) {
  const { status, out, err } = await callCommand(command, [...args, '--data', stack.folder]);
  return { status, output: (out + err).trim() };
}
const plan = (...args: string[]) => run(setPlan, args);

test('npm run plan sets a plan by name or id, keeps the other fields, and writes the actor', async () => {
  const { owner, org } = await organization(stack.db.sql);
  await rpc(stack.db.sql, owner, `rename_organization('${org}', 'Paying Ltd')`);
  const subscription = async () => {
    const [row] = await stack.db.sql`select tier, status from account.subscriptions where org_id = ${org}`;
    return { ...row };
  };
  expect(await plan('--org', 'Paying Ltd', '--tier', 'premium')).toEqual({
    status: 0,
    output: `organization "Paying Ltd" (${org})  tier premium  active, from its next request on`,
  });
  expect(await subscription()).toEqual({ tier: 'premium', status: 'active' });
  expect(await plan('--org', org, '--status', 'inactive')).toMatchObject({ status: 0 });
  expect(await subscription()).toEqual({ tier: 'premium', status: 'inactive' });
  expect((await plan('--org', org, '--status', 'inactive')).output).toContain('unchanged');
  expect((await auditRows(stack.db.sql, org)).slice(-2)).toEqual([
    ['operator', 'plan.changed', 'premium'],
    ['operator', 'plan.changed', 'premium'],
  ]);
});

test('npm run plan turns request leases on and off, and rejects a share above a quarter of the window', async () => {
  const { org } = await organization(stack.db.sql);
  const percent = async () =>
    (await stack.db.sql`select lease_percent from account.subscriptions where org_id = ${org}`)[0]?.lease_percent;
  expect(await plan('--org', org, '--lease', '10')).toEqual({
    status: 0,
    output: `organization "${org}" (${org})  tier free  active  leases of 10 %, from its next request on`,
  });
  expect(await percent()).toBe(10);
  expect((await plan('--org', org, '--tier', 'pro')).output).toContain('tier pro  active  leases of 10 %, from');
  expect((await plan('--org', org, '--lease', '0')).output).toContain('tier pro  active, from');
  expect([(await plan('--org', org, '--lease', '26')).status, await percent()]).toEqual([1, 0]);
  expect((await auditRows(stack.db.sql, org)).map(([, action, subject]) => [action, subject])).toEqual(
    expect.arrayContaining([
      ['organization.leases', '10'],
      ['organization.leases', '0'],
    ]),
  );
});

test('npm run plan rejects an ambiguous or unknown name, tier or status in one sentence', async () => {
  for (let i = 0; i < 2; i++) {
    const { owner, org } = await organization(stack.db.sql);
    await rpc(stack.db.sql, owner, `rename_organization('${org}', 'Twins')`);
  }
  expect(await plan('--org', 'Twins', '--tier', 'pro')).toEqual({
    status: 1,
    output: '2 organizations have the name "Twins". Give the id instead.',
  });
  expect(await plan('--org', 'Missing')).toEqual({ status: 1, output: 'There is no organization "Missing".' });
  expect(await plan('--tier', 'pro')).toEqual({ status: 1, output: 'Name the organization with --org NAME.' });
  const { org } = await organization(stack.db.sql);
  expect((await plan('--org', org, '--tier', 'gold')).output).toBe(
    'There is no tier "gold". There are: free, basic, premium, pro.',
  );
  expect((await plan('--org', org, '--status', 'paid')).output).toBe('A plan is "active" or "inactive", not "paid".');
});

test('npm run key prints a key on the last line, and rejects an unknown tier or option in one sentence', async () => {
  const key = (...args: string[]) => run(mintKey, args);
  const made = await key('--tier', 'basic', '--org', 'Keyed');
  expect(made.status).toBe(0);
  expect(made.output.split('\n').at(-1)).toMatch(/^sk_live_\w+$/);
  expect((await plan('--org', 'Keyed')).output).toContain('tier basic  active, unchanged');
  expect((await key('--tier', 'gold')).output).toBe('There is no tier "gold". There are: free, basic, premium, pro.');
  expect((await key('--prot', '1')).output).toContain('Options: --tier --org');
});

test('npm run key makes a key with a name, an expiry and a scope, and rejects what is none', async () => {
  const { status, output } = await run(mintKey, [
    '--org',
    'Limits',
    '--name',
    'ci',
    '--expires',
    '2030-02-28',
    '--read-only',
  ]);
  expect([status, output]).toEqual([
    0,
    expect.stringContaining('read-only  expires 2030-03-01T00:00:00.000Z\nsk_live_'),
  ]);
  await run(mintKey, ['--org', 'Limits', '--expires', '90d']);
  const rows = await stack.db.sql`
    select k.name, k.scope, round(extract(epoch from k.lifetime) / 86400)::integer > 90 as long
    from account.keys k join account.organizations o using (org_id)
    where o.name = 'Limits' order by k.created_at`;
  expect([...rows]).toEqual([
    { name: 'ci', scope: 'read_only', long: true },
    { name: 'minted by an operator', scope: 'full', long: false },
  ]);
  for (const expires of ['2030-02-30', 'soon', '-1d', '2030', '']) {
    expect(await run(mintKey, ['--org', 'Limits', `--expires=${expires}`])).toEqual({
      status: 1,
      output: '--expires takes a number of days, such as 90d, or a date, such as 2027-01-31.',
    });
  }
  expect((await run(mintKey, ['--org', 'Limits', '--expires', '0d'])).output).toBe(
    'A key must expire in the future, within 10 years.',
  );
});

test('npm run key makes another organization where the name is of one that a person made', async () => {
  const { owner, org } = await organization(stack.db.sql);
  await rpc(stack.db.sql, owner, `rename_organization('${org}', 'Named by a person')`);
  expect(await run(mintKey, ['--org', 'Named by a person'])).toMatchObject({ status: 0 });
  await stack.db.sql`delete from auth.users where id = ${owner.id}`;
  expect(await run(mintKey, ['--org', 'Named by a person'])).toMatchObject({ status: 0 });
  const rows = await stack.db.sql`
    select o.made_by_user, (select count(*)::int from account.keys k where k.org_id = o.org_id) as keys
    from account.organizations o where o.name = 'Named by a person'`;
  expect(rows.map((row) => ({ ...row }))).toEqual([{ made_by_user: false, keys: 2 }]);
});
