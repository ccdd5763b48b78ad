import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/rest.ts';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';

const binary = supabaseAuthOrSkip('tests/auth/mails.system.test.ts');
const password = 'long enough';

/** What a link leads to: the fragment of the address that Auth redirects to. */
async function open(link: string): Promise<{ status: number; to: string; result: URLSearchParams }> {
  const answer = await fetch(link, { redirect: 'manual' });
  const to = answer.headers.get('location') ?? '';
  return { status: answer.status, to, result: new URLSearchParams(to.split('#')[1]) };
}

describe.skipIf(!binary)('mails of Supabase Auth, with confirmation of addresses', () => {
  let auth: RealAuth;
  beforeAll(async () => {
    if (binary) auth = await serveSupabaseAuth(binary, { confirmsEmail: true });
  }, 120_000);
  afterAll(() => auth?.close());

  const signIn = async (email: string, secret = password) => {
    const client = auth.client();
    return { client, ...(await client.auth.signInWithPassword({ email, password: secret })) };
  };
  /** A client with the session that a link gave. */
  async function clientOf(result: URLSearchParams): Promise<Client> {
    const client = auth.client();
    const { error } = await client.auth.setSession({
      access_token: result.get('access_token') ?? '',
      refresh_token: result.get('refresh_token') ?? '',
    });
    expect(error).toBeNull();
    return client;
  }
  /** A person with a confirmed address and one mail. */
  async function confirmed(email: string): Promise<Client> {
    expect((await auth.client().auth.signUp({ email, password })).error).toBeNull();
    return clientOf((await open((await auth.mail(email)).link)).result);
  }

  test('a new person has no session before the link of the mail is opened, and one after it', async () => {
    const email = 'new@example.com';
    const made = await auth.client().auth.signUp({ email, password });
    expect([made.error, made.data.session]).toEqual([null, null]);
    expect((await signIn(email)).error).toMatchObject({ status: 400, code: 'email_not_confirmed' });
    const { link, subject } = await auth.mail(email);
    expect(subject).toMatch(/confirm/i);
    expect(link).toContain(`${auth.url}/auth/v1/verify?`);
    const opened = await open(link);
    expect([opened.status, opened.result.get('type')]).toEqual([303, 'signup']);
    const client = await clientOf(opened.result);
    expect((await client.rpc('start_session')).data).toMatchObject({ role: 'owner' });
    expect((await signIn(email)).error).toBeNull();
  });

  test('a link works once, and afterwards leads to the page with the code otp_expired', async () => {
    const email = 'twice@example.com';
    await auth.client().auth.signUp({ email, password });
    const { link } = await auth.mail(email);
    expect((await open(link)).result.get('access_token')).not.toBeNull();
    const again = await open(link);
    expect([again.status, again.result.get('error_code'), again.result.get('access_token')]).toEqual([
      303,
      'otp_expired',
      null,
    ]);
  });

  test('a taken address gets the same answer as a new one, and no second account', async () => {
    const email = 'taken@example.com';
    await confirmed(email);
    const again = await auth.client().auth.signUp({ email, password: 'another secret' });
    expect([again.error, again.data.session]).toEqual([null, null]);
    expect(await auth.sql`select from auth.users where email = ${email}`).toHaveLength(1);
    expect((await signIn(email, 'another secret')).error).toMatchObject({ code: 'invalid_credentials' });
  });

  test('a forgotten password is replaced through the link of a mail', async () => {
    const email = 'forgets@example.com';
    await confirmed(email);
    expect((await auth.client().auth.resetPasswordForEmail(email)).error).toBeNull();
    const { link, subject } = await auth.mail(email, 2);
    expect(subject).toMatch(/reset/i);
    const { result } = await open(link);
    expect(result.get('type')).toBe('recovery');
    const client = await clientOf(result);
    expect((await client.auth.updateUser({ password: 'a new secret' })).error).toBeNull();
    expect((await signIn(email)).error).toMatchObject({ code: 'invalid_credentials' });
    expect((await signIn(email, 'a new secret')).error).toBeNull();
  });

  test('recovery of an unknown address gets the same answer and sends no mail', async () => {
    expect((await auth.client().auth.resetPasswordForEmail('nowhere@example.com')).error).toBeNull();
    expect(await auth.sql`select from auth.users where email = 'nowhere@example.com'`).toHaveLength(0);
  });

  test('an expired code, a wrong code and a code of another person are refused', async () => {
    const [email, other] = ['late@example.com', 'other@example.com'];
    await confirmed(email);
    await confirmed(other);
    await auth.client().auth.resetPasswordForEmail(email);
    const { link } = await auth.mail(email, 2);
    const verify = (address: string, token: string) =>
      auth.client().auth.verifyOtp({ email: address, token, type: 'recovery' });
    const refused = { status: 403, code: 'otp_expired' };
    expect((await verify(email, '000000')).error).toMatchObject(refused);
    expect((await verify(other, '000000')).error).toMatchObject(refused);
    await auth.sql`update auth.users set recovery_sent_at = now() - interval '2 hours' where email = ${email}`;
    const opened = await open(link);
    expect([opened.result.get('error_code'), opened.result.get('access_token')]).toEqual(['otp_expired', null]);
  });

  test('a signed-in person changes the password, and a weak or equal one is refused', async () => {
    const email = 'changes@example.com';
    const client = await confirmed(email);
    expect((await client.auth.updateUser({ password: 'short' })).error).toMatchObject({ code: 'weak_password' });
    expect((await client.auth.updateUser({ password })).error).toMatchObject({ status: 422, code: 'same_password' });
    expect((await client.auth.updateUser({ password: 'a new secret' })).error).toBeNull();
    expect((await signIn(email, 'a new secret')).error).toBeNull();
  });

  test('an address changes only after both addresses have confirmed it, and our SQL then reads the new one', async () => {
    const [before, after] = ['before@example.com', 'after@example.com'];
    const client = await confirmed(before);
    const { data } = await client.rpc('start_session');
    expect((await client.auth.updateUser({ email: after })).error).toBeNull();
    const emails = async () =>
      (await client.rpc('list_members', { p_org_id: data.org_id })).data.map((row: { email: string }) => row.email);
    const [toOld, toNew] = [await auth.mail(before, 2), await auth.mail(after)];
    await open(toNew.link);
    expect(await emails()).toEqual([before]);
    await open(toOld.link);
    expect(await emails()).toEqual([after]);
    expect((await signIn(before)).error).toMatchObject({ code: 'invalid_credentials' });
    expect((await signIn(after)).error).toBeNull();
  });

  test('an invited person opens the link, sets a password and has an organization; a visitor cannot invite', async () => {
    const email = 'invited@example.com';
    const refused = await auth.client().auth.admin.inviteUserByEmail(email);
    expect(refused.error).toMatchObject({ status: 403 });
    const service = auth.client(auth.keys.secret);
    expect((await service.auth.admin.inviteUserByEmail(email)).error).toBeNull();
    const { link, subject } = await auth.mail(email);
    expect(subject).toMatch(/invited/i);
    const { result } = await open(link);
    expect(result.get('type')).toBe('invite');
    const client = await clientOf(result);
    expect((await client.auth.updateUser({ password })).error).toBeNull();
    expect((await client.rpc('start_session')).data).toMatchObject({ role: 'owner' });
    expect((await signIn(email)).error).toBeNull();
  });

  test('a link redirects to the site and to no address that a caller chose', async () => {
    const email = 'redirect@example.com';
    await auth.client().auth.signUp({ email, password, options: { emailRedirectTo: 'https://attacker.example/x' } });
    const { link } = await auth.mail(email);
    expect(link).not.toContain('attacker');
    const changed = new URL(link);
    changed.searchParams.set('redirect_to', 'https://attacker.example/x');
    expect(new URL((await open(changed.href)).to).origin).toBe(auth.url);
  });
});
