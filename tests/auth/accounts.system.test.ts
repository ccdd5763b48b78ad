import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/rest.ts';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';

const binary = supabaseAuthOrSkip('tests/auth/accounts.system.test.ts');
const password = 'long enough';

// Our foreign keys, row security and RPCs on the tables of Auth itself.
describe.skipIf(!binary)('accounts on the tables of Supabase Auth', () => {
  let auth: RealAuth;
  let service: Client;
  beforeAll(async () => {
    if (!binary) return;
    auth = await serveSupabaseAuth(binary);
    service = auth.client(auth.keys.secret);
  }, 120_000);
  afterAll(() => auth?.close());

  async function signUp(email: string): Promise<{ client: Client; id: string }> {
    const client = auth.client();
    const { data } = await client.auth.signUp({ email, password });
    return { client, id: data.user?.id ?? '' };
  }

  test('an operator deletes a person: the memberships and invitations end, and the others keep organization and keys', async () => {
    const [leaver, stayer] = [await signUp('leaver@example.com'), await signUp('stayer@example.com')];
    const { org_id } = (await leaver.client.rpc('start_session', { p_name: 'The desk' })).data;
    const { code } = (await leaver.client.rpc('invite_member', { p_org_id: org_id, p_role: 'owner' })).data;
    expect((await stayer.client.rpc('accept_invitation', { p_code: code })).error).toBeNull();
    await leaver.client.rpc('invite_member', { p_org_id: org_id });
    const minted = (await leaver.client.rpc('mint_key', { p_org_id: org_id, p_name: 'bot' })).data;

    expect((await service.auth.admin.deleteUser(leaver.id)).error).toBeNull();

    const members = (await stayer.client.rpc('list_members', { p_org_id: org_id })).data;
    expect(members.map(({ email, role }: { email: string; role: string }) => [email, role])).toEqual([
      ['stayer@example.com', 'owner'],
    ]);
    const keys = await stayer.client.from('my_keys').select('key_id').eq('org_id', org_id);
    expect(keys.data).toEqual([{ key_id: minted.key_id }]);
    expect(await auth.sql`select invited_by from account.invitations where org_id = ${org_id}`).toEqual([
      { invited_by: null },
    ]);
    const [record] = await auth.sql`
      select actor from account.audit where org_id = ${org_id} and action = 'organization.created'`;
    expect(record).toEqual({ actor: 'leaver@example.com' });
    for (const table of ['identities', 'sessions', 'refresh_tokens']) {
      expect(await auth.sql`select from ${auth.sql(`auth.${table}`)} where user_id = ${leaver.id}`, table).toEqual([]);
    }
  });

  test('the session of a deleted person has no account, although its token is still valid', async () => {
    const { client, id } = await signUp('gone@example.com');
    const { org_id } = (await client.rpc('start_session')).data;
    expect((await service.auth.admin.deleteUser(id)).error).toBeNull();
    expect((await client.rpc('start_session')).error).toMatchObject({ code: 'session.none' });
    expect((await client.rpc('mint_key', { p_org_id: org_id, p_name: 'x' })).error).toMatchObject({
      code: 'session.none',
    });
    expect((await client.from('my_organizations').select()).data).toEqual([]);
    expect((await client.auth.getUser()).error).toMatchObject({ status: 403, code: 'user_not_found' });
    expect((await client.auth.refreshSession()).error).toMatchObject({ status: 400 });
  });

  test('a person and a visitor cannot delete anyone, and an unknown id is an error of the caller', async () => {
    const [one, two] = [await signUp('one@example.com'), await signUp('two@example.com')];
    expect((await one.client.auth.admin.deleteUser(two.id)).error).toMatchObject({ status: 403, code: 'not_admin' });
    expect((await auth.client().auth.admin.deleteUser(two.id)).error).toMatchObject({ status: 403 });
    const unknown = await service.auth.admin.deleteUser('00000000-0000-4000-8000-000000000000');
    expect(unknown.error).toMatchObject({ status: 404, code: 'user_not_found' });
    expect((await two.client.auth.getUser()).error).toBeNull();
  });

  test('the tables of Auth are closed to sessions and visitors, and open to the owner of our schemas', async () => {
    const { client } = await signUp('curious@example.com');
    const tables = await auth.sql<{ name: string; readers: number }[]>`
      select c.relname as name, count(r.role) filter (where has_table_privilege(r.role, c.oid, 'select'))::int as readers
      from pg_class c cross join (values ('anon'), ('authenticated')) r (role)
      where c.relnamespace = 'auth'::regnamespace and c.relkind = 'r'
      group by c.relname`;
    expect(tables.length).toBeGreaterThan(15);
    expect(tables.filter(({ readers }) => readers > 0)).toEqual([]);
    expect(
      (
        await client
          .schema('auth' as 'api')
          .from('users')
          .select()
      ).error,
    ).not.toBeNull();
    await expect(auth.sql`drop table auth.users cascade`).rejects.toThrow(/must be owner/);
    expect(await auth.sql`select from auth.users where email = 'curious@example.com'`).toHaveLength(1);
  });
});
