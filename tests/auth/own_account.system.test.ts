import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/rest.ts';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';
import { totpCode } from '../support/totp.ts';

const binary = supabaseAuthOrSkip('tests/auth/own_account.system.test.ts');
const password = 'long enough';

// What people do with their own account, with the calls of the dashboard (dashboard/src/account).
describe.skipIf(!binary)('the own account on Supabase Auth', () => {
  let auth: RealAuth;
  beforeAll(async () => {
    if (binary) auth = await serveSupabaseAuth(binary);
  }, 120_000);
  afterAll(() => auth?.close());

  let count = 0;
  type Device = { client: Client; email: string; org: string };

  async function signUp(): Promise<Device> {
    const client = auth.client();
    const email = `own${++count}@example.com`;
    const { error } = await client.auth.signUp({ email, password });
    expect(error).toBeNull();
    return { client, email, org: (await client.rpc('start_session')).data.org_id };
  }
  async function signIn(email: string, secret = password): Promise<Client> {
    const client = auth.client();
    const { error } = await client.auth.signInWithPassword({ email, password: secret });
    expect(error).toBeNull();
    return client;
  }
  /** A client with the access token that this one has now, which nothing renews. */
  async function keepToken(client: Client): Promise<Client> {
    const { data } = await client.auth.getSession();
    return auth.client(undefined, data.session?.access_token);
  }
  const mint = (client: Client, org: string) => client.rpc('mint_key', { p_org_id: org, p_name: 'x' });
  async function expectEnded(kept: Client, org: string): Promise<void> {
    const minted = await mint(kept, org);
    expect([minted.status, minted.error]).toMatchObject([401, { code: 'session.ended' }]);
    expect((await kept.from('my_keys').select()).data).toEqual([]);
  }

  test('an access token mints no key once its person has signed out everywhere', async () => {
    const { client, email, org } = await signUp();
    const kept = await keepToken(client);
    expect((await mint(kept, org)).error).toBeNull();
    const other = await signIn(email);
    expect((await other.auth.signOut({ scope: 'global' })).error).toBeNull();
    await expectEnded(kept, org);
  });

  test('sessions are listed with browser and address, and one is ended by another', async () => {
    const { client, email, org } = await signUp();
    const other = await signIn(email);
    await other.auth.refreshSession();
    const kept = await keepToken(other);
    const { data } = await client.rpc('list_sessions');
    expect(data).toMatchObject([
      { is_current: true, user_agent: expect.any(String), ip: expect.any(String) },
      { is_current: false, last_used_at: expect.stringMatching(/Z$/) },
    ]);
    expect(Date.parse(data[1].last_used_at)).toBeGreaterThanOrEqual(Date.parse(data[1].created_at));
    expect(Math.abs(Date.parse(data[1].last_used_at) - Date.now())).toBeLessThan(60_000);
    expect((await client.rpc('end_session', { p_session: data[1].session_id })).error).toBeNull();
    await expectEnded(kept, org);
    expect((await other.auth.refreshSession()).error).not.toBeNull();
    expect((await client.rpc('list_sessions')).data).toHaveLength(1);
  });

  test('a changed password needs the current one and ends the other sessions', async () => {
    const { client, email, org } = await signUp();
    const kept = await keepToken(await signIn(email));
    const wrong = await auth.client().auth.signInWithPassword({ email, password: 'wrong' });
    expect(wrong.error).toMatchObject({ code: 'invalid_credentials' });
    const changed = await client.auth.updateUser({ password: 'another one', current_password: password });
    expect(changed.error).toBeNull();
    await client.auth.signOut({ scope: 'others' });
    await expectEnded(kept, org);
    expect((await mint(client, org)).error).toBeNull();
    await signIn(email, 'another one');
  });

  test('a recovery link sets a password; an unknown address gets the same answer', async () => {
    const { email, org, client } = await signUp();
    const redirectTo = `${auth.url}/reset-password`;
    const known = await auth.client().auth.resetPasswordForEmail(email, { redirectTo });
    const unknown = await auth.client().auth.resetPasswordForEmail('unknown@example.com', { redirectTo });
    expect(known).toEqual(unknown);
    const { link } = await auth.mail(email);
    const opened = await fetch(link, { redirect: 'manual' });
    const to = new URL(opened.headers.get('location') ?? '');
    const fragment = new URLSearchParams(to.hash.slice(1));
    expect([to.pathname, fragment.get('type')]).toEqual(['/reset-password', 'recovery']);
    const recovered = auth.client();
    await recovered.auth.setSession({
      access_token: fragment.get('access_token') ?? '',
      refresh_token: fragment.get('refresh_token') ?? '',
    });
    const kept = await keepToken(client);
    expect((await recovered.auth.updateUser({ password: 'recovered one' })).error).toBeNull();
    await recovered.auth.signOut({ scope: 'others' });
    await expectEnded(kept, org);
    await signIn(email, 'recovered one');
    const again = await fetch(link, { redirect: 'manual' });
    expect(again.headers.get('location')).toContain('error_code=otp_expired');
  });

  /** Adds an authenticator app. Returns its id and its secret. */
  async function addApp(client: Client): Promise<{ factorId: string; secret: string }> {
    const { data, error } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'Authenticator app 1' });
    if (error) throw error;
    expect(data.totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,</);
    const verified = await client.auth.mfa.challengeAndVerify({ factorId: data.id, code: totpCode(data.totp.secret) });
    expect(verified.error).toBeNull();
    return { factorId: data.id, secret: data.totp.secret };
  }

  test('with an authenticator app, a password alone mints no key, sees no row and deletes nothing', async () => {
    const { client, email, org } = await signUp();
    expect((await client.rpc('read_account')).data).toMatchObject({ email, has_password: true, has_factors: true });
    const before = await keepToken(await signIn(email));
    const { factorId, secret } = await addApp(client);
    // Auth ends the sessions of the password alone when the first app is verified.
    await expectEnded(before, org);
    expect((await mint(client, org)).error).toBeNull();

    const next = await signIn(email);
    for (const refused of [
      await mint(next, org),
      await next.rpc('start_session'),
      await next.rpc('delete_account', { p_email: email }),
      await next.rpc('list_sessions'),
    ]) {
      expect([refused.status, refused.error]).toMatchObject([403, { code: 'session.second_factor' }]);
    }
    expect((await next.from('my_organizations').select()).data).toEqual([]);
    const kept = await keepToken(next);
    expect((await next.auth.mfa.challengeAndVerify({ factorId, code: totpCode(secret) })).error).toBeNull();
    expect((await mint(next, org)).error).toBeNull();
    // The token from before the code has no more power than it had.
    expect((await mint(kept, org)).error).toMatchObject({ code: 'session.second_factor' });

    expect((await next.auth.mfa.unenroll({ factorId })).error).toBeNull();
    await next.auth.refreshSession();
    expect((await mint(await signIn(email), org)).error).toBeNull();
  });

  test('an account is deleted with everything that Auth keeps about it', async () => {
    const { client, email, org } = await signUp();
    await addApp(client);
    const kept = await keepToken(client);
    const { data } = await client.auth.getUser();
    const id = data.user?.id ?? '';
    await auth.sql`update auth.sessions set created_at = now() - interval '11 minutes' where user_id = ${id}`;
    expect((await client.rpc('delete_account', { p_email: email })).error).toMatchObject({
      code: 'session.not_recent',
    });
    await auth.sql`update auth.sessions set created_at = now() where user_id = ${id}`;
    expect((await client.rpc('delete_account', { p_email: email })).error).toBeNull();
    expect((await mint(kept, org)).error).toMatchObject({ code: 'session.none' });
    for (const table of ['sessions', 'identities', 'mfa_factors', 'refresh_tokens', 'one_time_tokens']) {
      expect(await auth.sql`select from ${auth.sql(`auth.${table}`)} where user_id::text = ${id}`, table).toEqual([]);
    }
    expect(await auth.sql`select from account.organizations where org_id = ${org}`).toEqual([]);
    expect((await auth.client().auth.signInWithPassword({ email, password })).error).not.toBeNull();
  });
});
