import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchUserId } from '../../functions/api/http/session.ts';
import { createSigningKey, rotateTo } from '../../local/platform/auth/gotrue/signing_keys.ts';
import { type RealAuth, serveSupabaseAuth, supabaseAuthOrSkip } from '../support/supabase_auth.ts';

const binary = supabaseAuthOrSkip('tests/auth/signing_keys.system.test.ts');

describe.skipIf(!binary)('a rotation of the signing key of Supabase Auth', () => {
  let auth: RealAuth;
  beforeAll(async () => {
    if (binary) auth = await serveSupabaseAuth(binary);
  }, 120_000);
  afterAll(() => auth?.close());

  const kidOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
  const published = async () => {
    const answer = await fetch(`${auth.url}/auth/v1/.well-known/jwks.json`);
    const { keys } = (await answer.json()) as { keys: { kid: string }[] };
    return keys.map(({ kid }) => kid).sort();
  };
  /** What REST and the function api make of a token. */
  const accepted = async (token: string) => {
    const rest = (await auth.client(undefined, token).from('my_organizations').select()).status;
    const user = await fetchUserId(token, { url: auth.url, apikey: auth.keys.publishable }).catch(
      (error: { code?: string }) => error.code,
    );
    return { rest, user };
  };

  test('a session of the old key works until that key is removed, and its refresh gives one of the new key', async () => {
    const client = auth.client();
    const { data } = await client.auth.signUp({ email: 'rotates@example.com', password: 'long enough' });
    const oldToken = data.session?.access_token ?? '';
    const [oldKey] = auth.signingKeys;
    const newKey = createSigningKey();
    if (!oldKey) throw new Error('Auth has no key');
    const id = data.user?.id;
    expect(kidOf(oldToken)).toBe(oldKey.kid);

    await auth.restart({ signingKeys: rotateTo(newKey, auth.signingKeys) });
    expect(await published()).toEqual([oldKey.kid, newKey.kid].sort());
    expect(await accepted(oldToken)).toEqual({ rest: 200, user: id });
    const newToken = (await client.auth.refreshSession()).data.session?.access_token ?? '';
    expect(kidOf(newToken)).toBe(newKey.kid);
    expect(await accepted(newToken)).toEqual({ rest: 200, user: id });

    await auth.restart({ signingKeys: [newKey] });
    expect(await published()).toEqual([newKey.kid]);
    expect(await accepted(oldToken)).toEqual({ rest: 401, user: 'session.none' });
    expect(await accepted(newToken)).toEqual({ rest: 200, user: id });
  });

  test('Auth does not start with two keys that sign', async () => {
    const [key] = auth.signingKeys;
    if (!key) throw new Error('Auth has no key');
    await expect(auth.restart({ signingKeys: [key, createSigningKey()] })).rejects.toThrow(/multiple signing keys/);
    await auth.restart({ signingKeys: [key] });
  });
});
