import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type Client, type Rest, serveRest } from '../support/rest.ts';

// Makes the calls of the dashboard with the client library that it uses, over Auth and REST.
let db: TestDatabase;
let rest: Rest;
let owner: Client;
let org: string;
beforeAll(async () => {
  db = await createDatabase();
  rest = await serveRest(db);
  owner = (await signUp('owner@example.com')).client;
  org = (await owner.rpc('start_session')).data.org_id;
});
afterAll(async () => {
  await rest.close();
  await db.close();
});

async function signUp(email: string): Promise<{ client: Client; id: string }> {
  const client = rest.client();
  const { data, error } = await client.auth.signUp({ email, password: 'long enough' });
  expect(error).toBeNull();
  return { client, id: data.user?.id ?? '' };
}

const sentence = expect.stringMatching(/^[A-Z].*\.$/);

describe('a signed-in user', () => {
  test('starts with an organization, mints, lists, rotates and revokes, and reads the audit', async () => {
    const { client } = await signUp('whole@example.com');
    const session = await client.rpc('start_session', { p_name: 'Whole' });
    expect(session.data).toEqual({
      org_id: expect.any(String),
      name: 'Whole',
      role: 'owner',
      tier: 'free',
      status: 'active',
    });
    const p_org_id = session.data.org_id;
    const minted = await client.rpc('mint_key', { p_org_id, p_name: 'server' });
    expect(minted.data).toMatchObject({ name: 'server', key: expect.stringMatching(/^sk_live_.{47}$/) });
    const p_key = minted.data.key_id;
    expect((await client.rpc('rename_key', { p_key, p_name: 'worker' })).error).toBeNull();
    const rotated = await client.rpc('rotate_key', { p_key, p_overlap_hours: 24 });
    expect(rotated.data).toMatchObject({ name: 'worker', replaces: p_key });
    expect((await client.rpc('revoke_key', { p_key })).error).toBeNull();
    const listed = await client.from('my_keys').select().order('created_at');
    expect(listed.data).toMatchObject([
      { key_id: p_key, name: 'worker', revoked_at: expect.stringMatching(/Z$/) },
      { key_id: rotated.data.key_id, revoked_at: null, expires_at: null },
    ]);
    expect(JSON.stringify(listed.data)).not.toContain(minted.data.key);
    const usage = await client.from('my_usage').select().single();
    expect(usage.data).toMatchObject({ org_id: p_org_id, window_quota: 600, window_used: 0, month_quota: 10_000 });
    const audit = await client.from('my_audit').select('action, actor').order('audit_id', { ascending: false });
    expect(audit.data?.map((row) => row.action)).toEqual([
      'key.revoked',
      'key.rotated',
      'key.renamed',
      'key.minted',
      'organization.created',
    ]);
    expect((await client.from('tiers').select()).data).toHaveLength(4);
    expect((await client.from('my_monthly_usage').select()).data).toEqual([]);
  });

  test('invites a second person, transfers ownership and leaves', async () => {
    const first = await signUp('first@example.com');
    const second = await signUp('second@example.com');
    const p_org_id = (await first.client.rpc('start_session')).data.org_id;
    const invited = await first.client.rpc('invite_member', { p_org_id, p_role: 'owner' });
    expect((await first.client.from('my_invitations').select()).data).toHaveLength(1);
    expect((await second.client.rpc('accept_invitation', { p_code: invited.data.code })).data).toMatchObject({
      org_id: p_org_id,
      role: 'owner',
    });
    const people = await second.client.rpc('list_members', { p_org_id });
    expect(people.data).toMatchObject([
      { email: 'first@example.com', role: 'owner', since: expect.stringMatching(/Z$/) },
      { email: 'second@example.com', role: 'owner' },
    ]);
    expect((await first.client.rpc('leave_organization', { p_org_id })).error).toBeNull();
    expect((await first.client.from('my_organizations').select()).data).toEqual([]);
    expect((await first.client.rpc('list_members', { p_org_id })).error).toMatchObject({
      code: 'organization.not_found',
    });
    const last = await second.client.rpc('remove_member', { p_org_id, p_user: second.id });
    expect([last.status, last.error?.code]).toEqual([409, 'member.last_owner']);
    expect((await second.client.rpc('delete_organization', { p_org_id })).error).toBeNull();
    expect((await second.client.from('my_organizations').select()).data).toEqual([]);
  });

  test('gets errors with a stable code, a sentence and a fitting status', async () => {
    const minted = await owner.rpc('mint_key', { p_org_id: org, p_name: 'mine' });
    const { client: other } = await signUp('other@example.com');
    await other.rpc('start_session');
    const p_key = minted.data.key_id;
    const rejected = [
      [await owner.rpc('mint_key', { p_org_id: org, p_name: '' }), 400, 'key.name'],
      [await owner.rpc('rotate_key', { p_key, p_overlap_hours: 73 }), 400, 'key.overlap'],
      [await other.rpc('mint_key', { p_org_id: org, p_name: 'x' }), 404, 'organization.not_found'],
      [await other.rpc('revoke_key', { p_key }), 404, 'key.not_found'],
      [await other.rpc('accept_invitation', { p_code: 'nonsense' }), 404, 'invitation.not_found'],
      [await owner.rpc('leave_organization', { p_org_id: org }), 409, 'member.last_owner'],
    ] as const;
    for (const [answer, status, code] of rejected) {
      expect([answer.status, answer.error?.code]).toEqual([status, code]);
      expect(answer.error?.message).toEqual(sentence);
      expect(answer.data).toBeNull();
    }
    for (const view of [
      'my_keys',
      'my_usage',
      'my_audit',
      'my_organizations',
      'my_invitations',
      'my_monthly_usage',
      'my_key_days',
    ]) {
      expect((await other.from(view).select().eq('org_id', org)).data).toEqual([]);
    }
  });

  test('gets no 500 for any input', async () => {
    const calls = [
      owner.rpc('mint_key', { p_org_id: 'nonsense', p_name: 'x' }),
      owner.rpc('mint_key', { p_org_id: org, p_name: 'nul \0 in it' }),
      owner.rpc('mint_key', { p_org_id: org }),
      owner.rpc('mint_key', { p_org_id: null, p_name: null }),
      owner.rpc('rotate_key', { p_key: org, p_overlap_hours: 'soon' }),
      owner.rpc('rotate_key', { p_key: org, p_overlap_hours: 1e12 }),
      owner.rpc('invite_member', { p_org_id: org, p_role: { owner: true } }),
      owner.rpc('no_such_function', {}),
      owner.from('my_keys').select('hash'),
      owner.from('my_keys').select().eq('key_id', 'nonsense'),
      owner.from('my_keys').insert({ name: 'x' }),
      ...[
        'my_organizations',
        'my_keys',
        'my_invitations',
        'my_usage',
        'my_monthly_usage',
        'my_key_days',
        'my_audit',
        'tiers',
      ].flatMap((view) => [
        owner.from(view).update({ tier: 'pro', name: 'x' }).eq('org_id', org),
        owner.from(view).insert({ org_id: org }),
        owner.from(view).delete().eq('org_id', org),
      ]),
      owner.from('keys').select(),
      owner.schema('account').from('keys').select('key_id'),
    ];
    for (const [at, answer] of (await Promise.all(calls)).entries()) {
      expect(answer.error, `${at}: ${JSON.stringify(answer)}`).not.toBeNull();
      expect(answer.status, JSON.stringify(answer.error)).toBeLessThan(500);
    }
  });
});

describe('an access token whose session has ended', () => {
  const PASSWORD = 'long enough';
  /** The same person on a second device, and a client with the access token of the first. */
  async function signedInTwice(email: string) {
    const { client } = await signUp(email);
    const p_org_id: string = (await client.rpc('start_session')).data.org_id;
    const { data } = await client.auth.getSession();
    const kept = rest.client(undefined, data.session?.access_token);
    const other = rest.client();
    expect((await other.auth.signInWithPassword({ email, password: PASSWORD })).error).toBeNull();
    return { client, kept, other, p_org_id };
  }
  const expectPowerless = async (kept: Client, p_org_id: string, code = 'session.ended') => {
    const minted = await kept.rpc('mint_key', { p_org_id, p_name: 'x' });
    expect([minted.status, minted.error]).toMatchObject([401, { code, message: sentence }]);
    expect((await kept.from('my_keys').select()).data).toEqual([]);
  };

  test('mints no key after it was signed out everywhere, on another device', async () => {
    const { client, kept, other, p_org_id } = await signedInTwice('everywhere@example.com');
    expect((await kept.rpc('mint_key', { p_org_id, p_name: 'before' })).error).toBeNull();
    expect((await other.auth.signOut({ scope: 'global' })).error).toBeNull();
    await expectPowerless(kept, p_org_id);
    expect((await client.auth.refreshSession()).error).not.toBeNull();
  });

  test('mints no key after another session ended it, which goes on', async () => {
    const { kept, other, p_org_id } = await signedInTwice('one@example.com');
    const { data: sessions } = await other.rpc('list_sessions');
    expect(sessions).toMatchObject([{ is_current: true }, { is_current: false }]);
    expect((await other.rpc('end_session', { p_session: sessions[1].session_id })).error).toBeNull();
    await expectPowerless(kept, p_org_id);
    expect((await other.rpc('mint_key', { p_org_id, p_name: 'x' })).error).toBeNull();
  });

  test('does nothing after the account was deleted, and its e-mail address is free again', async () => {
    const email = 'deleted@example.com';
    const { kept, other, p_org_id } = await signedInTwice(email);
    expect((await other.rpc('delete_account', { p_email: 'wrong@example.com' })).error).toMatchObject({
      code: 'account.email',
      message: sentence,
    });
    expect((await other.rpc('delete_account', { p_email: email })).error).toBeNull();
    await expectPowerless(kept, p_org_id, 'session.none');
    expect((await other.auth.signInWithPassword({ email, password: PASSWORD })).error).not.toBeNull();
    expect((await rest.client().auth.signUp({ email, password: PASSWORD })).error).toBeNull();
  });
});

describe('a caller who is not signed in', () => {
  const soon = () => Math.floor(Date.now() / 1000) + 100;
  const sessionClaims = async () => {
    const { data } = await owner.auth.getClaims();
    return { sub: data?.claims.sub, session_id: data?.claims.session_id };
  };

  test('is rejected by functions and views without a session and with an expired or forged token', async () => {
    const claims = { ...(await sessionClaims()), role: 'authenticated' };
    const forged = rest.token({ ...claims, exp: soon() }, 'another-secret-of-at-least-thirty-two');
    const [head, , signature] = rest.token({ ...claims, exp: soon() }).split('.');
    const other = Buffer.from(JSON.stringify({ ...claims, exp: soon(), sub: 'x' })).toString('base64url');
    const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${other}.`;
    const callers = {
      anonymous: rest.client(),
      expired: rest.client(undefined, rest.token({ ...claims, exp: soon() - 200 })),
      forged: rest.client(undefined, forged),
      changed: rest.client(undefined, `${head}.${other}.${signature}`),
      unsigned: rest.client(undefined, unsigned),
      nonsense: rest.client(undefined, 'nonsense'),
      secret: rest.client(rest.keys.secret),
    };
    for (const [name, client] of Object.entries(callers)) {
      const answers = [
        await client.rpc('start_session'),
        await client.rpc('mint_key', { p_org_id: org, p_name: 'x' }),
        await client.rpc('list_members', { p_org_id: org }),
        await client.from('my_keys').select(),
        await client.from('my_usage').select(),
        await client.from('tiers').select(),
      ];
      for (const answer of answers) {
        expect([401, 403], `${name}: ${JSON.stringify(answer)}`).toContain(answer.status);
        expect(answer.data).toBeNull();
      }
    }
    // The same claims with a valid signature and time are accepted, so the rejections above come
    // from the signature and the time.
    const fine = rest.client(undefined, rest.token({ ...claims, exp: soon() }));
    expect((await fine.rpc('list_members', { p_org_id: org })).data).toHaveLength(1);
  });

  test('has no session with a signed token that names no person', async () => {
    const anonymous = rest.client(undefined, rest.token({ role: 'authenticated', exp: soon() }));
    expect((await anonymous.rpc('start_session')).error).toMatchObject({ code: 'session.none' });
    expect((await anonymous.from('my_keys').select()).data).toEqual([]);
  });

  test('has no session when the person is deleted, although the token is still valid', async () => {
    const { client, id } = await signUp('leaves@example.com');
    const p_org_id = (await client.rpc('start_session')).data.org_id;
    await db.sql`delete from account.members where user_id = ${id}`;
    expect((await client.rpc('mint_key', { p_org_id, p_name: 'x' })).error).toMatchObject({
      code: 'organization.not_found',
    });
    await db.sql`delete from auth.users where id = ${id}`;
    expect((await client.rpc('mint_key', { p_org_id, p_name: 'x' })).error).toMatchObject({ code: 'session.none' });
  });
});
