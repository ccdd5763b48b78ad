import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt, importJWK, jwtVerify, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admitToAuth, admitToDataApi } from '../../local/platform/auth/gotrue/admission.ts';
import { createSigningKey, type SigningKey } from '../../local/platform/auth/gotrue/signing_keys.ts';
import { Gateway } from '../../local/platform/gateway/gateway.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { listenOnFreePort } from '../support/listening.ts';
import { clientAt, type Rest, serveRest } from '../support/rest.ts';

// The gateway in front of a server that answers with what it received (in the place of Auth), and
// of the real Data API. It needs no Supabase Auth program.
let db: TestDatabase;
let rest: Rest;
let echo: Server;
let gateway: Gateway;
let base: string;
const key = createSigningKey();
const id = '00000000-0000-4000-8000-00000000000a';
const session = '00000000-0000-4000-8000-0000000000b0';

beforeAll(async () => {
  db = await createDatabase();
  await db.sql`insert into auth.users (id, email) values (${id}, 'a@example.com')`;
  await db.sql`insert into auth.sessions (id, user_id) values (${session}, ${id})`;
  rest = await serveRest(db);
  echo = createServer((request, response) => {
    response.end(JSON.stringify({ url: request.url, headers: request.headers }));
  });
  await listenOnFreePort(echo);
  const { publishable, secret } = rest.keys;
  const project = {
    jwtSecret: rest.jwtSecret,
    signingKeys: [key],
    roles: new Map([
      [publishable, 'anon'],
      [secret, 'service_role'],
    ]),
  };
  const untilUp = () => Promise.resolve(true);
  const port = await freePort();
  gateway = new Gateway({
    port,
    functions: new Map(),
    auth: {
      name: 'Auth',
      address: { host: '127.0.0.1', port: (echo.address() as AddressInfo).port },
      untilUp,
      admit: admitToAuth(project),
    },
    rest: { name: 'REST', address: rest.address, untilUp, admit: admitToDataApi(project) },
    dashboard: '/nowhere',
    notice: '',
  });
  await gateway.listen();
  base = `http://127.0.0.1:${port}`;
});
afterAll(async () => {
  await gateway.close();
  echo.closeAllConnections();
  echo.close();
  await rest.close();
  await db.close();
});

type Echoed = { url: string; headers: IncomingHttpHeaders };
async function ask(
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; body: Echoed & { code?: string } }> {
  const answer = await fetch(`${base}/auth/v1${path}`, init);
  return { status: answer.status, body: (await answer.json()) as Echoed };
}
const soon = () => Math.floor(Date.now() / 1000) + 60;
async function es256(claims: Record<string, unknown>, by: SigningKey = key, kid = by.kid): Promise<string> {
  const { key_ops: _uses, ...jwk } = by;
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid }).sign(await importJWK(jwk, 'ES256'));
}
const claims = { sub: id, session_id: session, role: 'authenticated', aud: 'authenticated' };
const organizations = (token: string) =>
  clientAt(base, rest.keys.publishable, token).from('my_organizations').select('name');

test('Auth receives its own paths, without the prefix of the gateway', async () => {
  const headers = { apikey: rest.keys.publishable };
  expect((await ask('/token?grant_type=password', { headers })).body.url).toBe('/token?grant_type=password');
  expect((await ask('', { headers })).body.url).toBe('/');
  expect((await ask('?x=1', { headers })).body.url).toBe('/?x=1');
});

test('Auth receives a short-lived token of the role instead of an API key, and the token of a person unchanged', async () => {
  for (const [apikey, role] of [
    [rest.keys.publishable, 'anon'],
    [rest.keys.secret, 'service_role'],
  ] as const) {
    for (const authorization of [undefined, `Bearer ${apikey}`]) {
      const { body } = await ask('/user', { headers: { apikey, ...(authorization ? { authorization } : {}) } });
      const [, token = ''] = body.headers.authorization?.split(' ') ?? [];
      await jwtVerify(token, new TextEncoder().encode(rest.jwtSecret));
      expect(decodeJwt(token)).toEqual({ role, exp: expect.closeTo(soon(), -1) });
    }
  }
  const headers = { apikey: rest.keys.secret, authorization: 'Bearer of.a.person' };
  expect((await ask('/user', { headers })).body.headers.authorization).toBe('Bearer of.a.person');
});

test('a request to Auth needs an API key, but the links of mails, the public keys and a preflight do not', async () => {
  for (const headers of [{}, { apikey: 'sb_secret_other' }, { apikey: 'toString' }] as Record<string, string>[]) {
    expect(await ask('/user', { headers })).toMatchObject({ status: 401, body: { code: 'auth.no_key' } });
  }
  for (const path of ['/verify?token=x', '/callback?code=x', '/authorize?provider=github', '/.well-known/jwks.json']) {
    const { status, body } = await ask(path);
    expect([status, body.url, body.headers.authorization]).toEqual([200, path, undefined]);
  }
  for (const path of ['/verifyx', '/admin/users?x=/verify', '/verify/../admin/users', '/.well-known/../user']) {
    expect((await ask(path)).status, path).toBe(401);
  }
  expect((await ask('/user', { method: 'OPTIONS' })).status).toBe(200);
});

test('the Data API accepts an ES256 session of the published key, as the person that it names', async () => {
  const client = clientAt(base, rest.keys.publishable, await es256({ ...claims, exp: soon() }));
  expect((await client.rpc('start_session', { p_name: 'Mine' })).data).toMatchObject({ name: 'Mine' });
  expect((await organizations(await es256({ ...claims, exp: soon() }))).data).toEqual([{ name: 'Mine' }]);
});

test('the Data API refuses an expired session, and one of another key even under the same key id', async () => {
  const late = await organizations(await es256({ ...claims, exp: soon() - 120 }));
  expect([late.status, late.error?.message]).toEqual([401, 'JWT expired']);
  const other = createSigningKey();
  for (const kid of [other.kid, key.kid]) {
    expect((await organizations(await es256({ ...claims, exp: soon() }, other, kid))).status).toBe(401);
  }
  const service = await es256({ role: 'service_role', exp: soon() }, other);
  expect((await organizations(service)).status).toBe(401);
});

test('an API key works at the Data API without a session', async () => {
  expect((await clientAt(base, rest.keys.publishable).from('my_organizations').select()).error?.code).toBe('42501');
  expect((await fetch(`${base}/rest/v1/my_organizations`)).status).toBe(401);
});
