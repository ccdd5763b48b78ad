import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchUserId } from '../../functions/api/http/session.ts';
import { createSigningKey } from '../../local/platform/auth/gotrue/signing_keys.ts';
import type { Client } from '../support/rest.ts';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';

const binary = supabaseAuthOrSkip('tests/auth/sessions.system.test.ts');
const password = 'long enough';

describe.skipIf(!binary)('sessions of Supabase Auth', () => {
  let auth: RealAuth;
  beforeAll(async () => {
    if (binary) auth = await serveSupabaseAuth(binary);
  }, 120_000);
  afterAll(() => auth?.close());

  let count = 0;
  const newEmail = () => `person${++count}@example.com`;

  async function signUp(email = newEmail()): Promise<{ client: Client; email: string; token: string; id: string }> {
    const client = auth.client();
    const { data, error } = await client.auth.signUp({ email, password });
    if (error || !data.session || !data.user) throw new Error(`no session: ${error?.message}`);
    return { client, email, token: data.session.access_token, id: data.user.id };
  }
  const signIn = async (email: string, secret = password) => {
    const client = auth.client();
    return { client, ...(await client.auth.signInWithPassword({ email, password: secret })) };
  };
  const idOf = (token: string) => fetchUserId(token, { url: auth.url, apikey: auth.keys.publishable });

  test('a person signs up, has an organization at once, and signs in again', async () => {
    const { client, email, id } = await signUp();
    expect((await client.rpc('start_session')).data).toMatchObject({ role: 'owner', tier: 'free' });
    const { data } = await signIn(email);
    expect(data.user?.id).toBe(id);
  });

  test('a wrong password, an unknown address and a taken one are rejected with the codes that the page knows', async () => {
    const { email } = await signUp();
    expect((await signIn(email, 'not the password')).error).toMatchObject({ status: 400, code: 'invalid_credentials' });
    expect((await signIn(newEmail())).error).toMatchObject({ status: 400, code: 'invalid_credentials' });
    const again = await auth.client().auth.signUp({ email, password });
    expect(again.error).toMatchObject({ status: 422, code: 'user_already_exists' });
    const short = await auth.client().auth.signUp({ email: newEmail(), password: 'short' });
    expect(short.error).toMatchObject({ status: 422, code: 'weak_password' });
  });

  test('a session is an ES256 token that the published keys verify, and REST accepts it', async () => {
    const { client, token, id } = await signUp();
    const published = await (await fetch(`${auth.url}/auth/v1/.well-known/jwks.json`)).json();
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(published), {
      issuer: `${auth.url}/auth/v1`,
      audience: 'authenticated',
    });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: auth.signingKeys[0]?.kid });
    expect(payload).toMatchObject({ sub: id, role: 'authenticated', aal: 'aal1' });
    expect(JSON.stringify(published)).not.toContain('"d"');
    expect((await client.auth.getClaims()).data?.claims.sub).toBe(id);
    expect((await client.from('my_organizations').select()).error).toBeNull();
  });

  test('a changed token, one of a foreign key and an expired one are refused by REST and by Auth', async () => {
    const { token, id } = await signUp();
    const claims = { sub: id, role: 'authenticated', aud: 'authenticated' };
    const now = Math.floor(Date.now() / 1000);
    const [head = '', body = '', sealed = ''] = token.split('.');
    const admin = Buffer.from(JSON.stringify({ ...decodeJwt(token), role: 'service_role' })).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url');
    const bad = [
      `${head}.${admin}.${sealed}`,
      `${none}.${body}.`,
      await auth.token({ ...claims, exp: now + 60 }, createSigningKey()),
      await auth.token({ ...claims, exp: now - 60 }),
      'a.b.c',
    ];
    for (const one of bad) {
      const refused = await auth.client(undefined, one).from('my_organizations').select();
      expect([refused.status, refused.data], one).toEqual([401, null]);
      await expect(idOf(one), one).rejects.toMatchObject({ code: 'session.none' });
    }
    const late = await auth.client(undefined, bad[3]).from('my_organizations').select();
    expect(late.error?.message).toBe('JWT expired');
  });

  test('a refresh rotates the token; a second use of an old one ends the whole session', async () => {
    const { client, id } = await signUp();
    const first = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    const second = (await client.auth.refreshSession()).data.session?.refresh_token ?? '';
    expect(second).not.toBe(first);
    const third = (await client.auth.refreshSession()).data.session?.refresh_token ?? '';
    // A token works for another ten seconds after its end, because two tabs may refresh at once.
    const letTimePass = () => auth.sql`
      update auth.refresh_tokens set updated_at = updated_at - interval '1 minute' where user_id = ${id}`;
    await letTimePass();
    const use = async (token: string) => (await auth.client().auth.refreshSession({ refresh_token: token })).error;
    expect(await use(first)).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
    await letTimePass();
    expect(await use(third)).toMatchObject({ status: 400, code: 'refresh_token_already_used' });
  });

  test('signing out ends this session and no other', async () => {
    const { client, email, token } = await signUp();
    const other = await signIn(email);
    const refresh = (await client.auth.getSession()).data.session?.refresh_token ?? '';
    expect((await client.auth.signOut({ scope: 'local' })).error).toBeNull();
    await expect(idOf(token)).rejects.toMatchObject({ code: 'session.none' });
    expect((await auth.client().auth.refreshSession({ refresh_token: refresh })).error).toMatchObject({ status: 400 });
    expect((await other.client.auth.refreshSession()).error).toBeNull();
  });

  test('signing out everywhere ends all sessions: no refresh, no row in auth.sessions, and the API refuses their tokens', async () => {
    const { client, email, token, id } = await signUp();
    const other = await signIn(email);
    const otherToken = other.data.session?.access_token ?? '';
    await expect(idOf(otherToken)).resolves.toBe(id);
    expect((await client.auth.signOut({ scope: 'global' })).error).toBeNull();
    expect((await other.client.auth.refreshSession()).error).toMatchObject({ status: 400 });
    expect(await auth.sql`select from auth.sessions where user_id = ${id}`).toHaveLength(0);
    for (const one of [token, otherToken]) await expect(idOf(one)).rejects.toMatchObject({ code: 'session.none' });
    expect((await signIn(email)).error).toBeNull();
  });

  test('metadata that a person or an operator writes never becomes a top-level claim such as org', async () => {
    const org = '00000000-0000-4000-8000-000000000001';
    const client = auth.client();
    const wish = { org, role: 'service_role', plan: 'enterprise', aal: 'aal2', sub: org };
    const { data } = await client.auth.signUp({ email: newEmail(), password, options: { data: wish } });
    await client.auth.updateUser({ data: wish });
    const service = auth.client(auth.keys.secret);
    const changed = await service.auth.admin.updateUserById(data.user?.id ?? '', { app_metadata: wish });
    expect(changed.error).toBeNull();
    const claims = decodeJwt((await client.auth.refreshSession()).data.session?.access_token ?? '');
    expect(claims).toMatchObject({ sub: data.user?.id, role: 'authenticated', aal: 'aal1' });
    expect(Object.keys(claims)).not.toContain('org');
    expect(Object.keys(claims)).not.toContain('plan');
    expect(claims.user_metadata).toMatchObject({ org });
    expect(claims.app_metadata).toMatchObject({ org });
  });

  test('only the secret key opens the admin API, and a request needs an API key', async () => {
    const { client, token } = await signUp();
    const refused = await client.auth.admin.listUsers();
    expect(refused.error).toMatchObject({ status: 403, code: 'not_admin' });
    expect((await auth.client().auth.admin.listUsers()).error).toMatchObject({ status: 403, code: 'not_admin' });
    expect((await auth.client(auth.keys.secret).auth.admin.listUsers()).data.users.length).toBeGreaterThan(0);
    const ask = async (headers: Record<string, string>) => {
      const answer = await fetch(`${auth.url}/auth/v1/user`, { headers });
      const { code, error_code } = (await answer.json()) as { code: unknown; error_code?: string };
      return [answer.status, error_code ?? code];
    };
    expect(await ask({})).toEqual([401, 'auth.no_key']);
    expect(await ask({ authorization: `Bearer ${token}` })).toEqual([401, 'auth.no_key']);
    expect(await ask({ apikey: `${auth.keys.publishable}x` })).toEqual([401, 'auth.no_key']);
    expect(await ask({ apikey: auth.keys.publishable })).toEqual([403, 'bad_jwt']);
  });

  test.each([
    ['broken JSON', '/token?grant_type=password', '{"email":'],
    ['an array', '/signup', '[]'],
    ['a number as the address', '/token?grant_type=password', '{"email":5,"password":{}}'],
    ['no content', '/token?grant_type=refresh_token', ''],
    ['an unknown grant', '/token?grant_type=none', '{}'],
    ['an address that is none', '/signup', '{"email":"not an address","password":"long enough"}'],
    ['a NUL byte', '/signup', '{"email":"a\\u0000@example.com","password":"long enough"}'],
    ['an unknown path', '/nothing', '{}'],
  ])('%s gets an error of the caller, with a message', async (_what, path, body) => {
    const answer = await fetch(`${auth.url}/auth/v1${path}`, {
      method: 'POST',
      headers: { apikey: auth.keys.publishable, 'content-type': 'application/json' },
      body,
    });
    const text = await answer.text();
    expect(answer.status, text).toBeGreaterThanOrEqual(400);
    expect(answer.status, text).toBeLessThan(500);
    expect(text).not.toBe('');
  });
});
