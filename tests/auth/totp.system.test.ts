import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';
import { totpCode } from '../support/totp.ts';

const binary = supabaseAuthOrSkip('tests/auth/totp.system.test.ts');
const password = 'long enough';

describe.skipIf(!binary)('a second factor of Supabase Auth', () => {
  let auth: RealAuth;
  beforeAll(async () => {
    if (binary) auth = await serveSupabaseAuth(binary);
  }, 120_000);
  afterAll(() => auth?.close());

  test('a person adds an authenticator, and the session has aal2 only after a right code', async () => {
    const email = 'factor@example.com';
    const client = auth.client();
    await client.auth.signUp({ email, password });
    const enrolled = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'phone' });
    if (enrolled.error) throw enrolled.error;
    const { id: factorId, totp } = enrolled.data;
    expect(totp.uri).toMatch(/^otpauth:\/\/totp\//);

    const challenge = await client.auth.mfa.challenge({ factorId });
    const challengeId = challenge.data?.id ?? '';
    const right = totpCode(totp.secret);
    const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, '0');
    const refused = await client.auth.mfa.verify({ factorId, challengeId, code: wrong });
    expect(refused.error).toMatchObject({ status: 422, code: 'mfa_verification_failed' });
    const aal = async () => (await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel;
    expect(await aal()).toBe('aal1');
    const verified = await client.auth.mfa.verify({ factorId, challengeId, code: totpCode(totp.secret) });
    expect(verified.error).toBeNull();
    expect(decodeJwt(verified.data?.access_token ?? '')).toMatchObject({ aal: 'aal2' });
    expect(await aal()).toBe('aal2');
    expect((await client.rpc('start_session')).data).toMatchObject({ role: 'owner' });
    expect(await auth.sql`select aal from auth.sessions where factor_id = ${factorId}`).toEqual([{ aal: 'aal2' }]);

    // The next sign-in begins with aal1 and names the missing step. A session of aal1 cannot remove
    // the factor.
    const next = auth.client();
    await next.auth.signInWithPassword({ email, password });
    const { data: levels } = await next.auth.mfa.getAuthenticatorAssuranceLevel();
    expect([levels?.currentLevel, levels?.nextLevel]).toEqual(['aal1', 'aal2']);
    expect((await next.auth.mfa.unenroll({ factorId })).error).toMatchObject({ code: 'insufficient_aal' });
    expect((await client.auth.mfa.unenroll({ factorId })).error).toBeNull();
  });

  test('another person cannot use the factor', async () => {
    const [one, two] = [auth.client(), auth.client()];
    await one.auth.signUp({ email: 'one@example.com', password });
    await two.auth.signUp({ email: 'two@example.com', password });
    const { data } = await one.auth.mfa.enroll({ factorType: 'totp' });
    const refused = await two.auth.mfa.challenge({ factorId: data?.id ?? '' });
    expect(refused.error).toMatchObject({ status: 404, code: 'mfa_factor_not_found' });
  });
});
