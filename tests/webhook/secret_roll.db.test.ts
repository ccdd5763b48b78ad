import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { webhookRoll, webhookSecret } from '../../functions/api/contract/webhook.ts';
import { addMember, expectRpcError, organization, registerEndpoint, rpc } from '../account/support/people.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { enqueue } from './support/sender.ts';

// POST /v1/webhooks/{id}/roll, and what a receiver verifies that knows one secret only.
let fixture: ApiFixture;
let key: string;
let endpoint: { id: string; secret: string };
beforeAll(async () => {
  fixture = await createApiFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  await fixture.db.sql`delete from webhook.endpoints`;
  key = await fixture.key('basic');
  const body = JSON.stringify({ url: 'https://8.8.8.8/in', events: ['pair.created'] });
  endpoint = webhookSecret.parse(await (await send('', body)).json());
});

const send = (path: string, body: string | null = null, as = key) =>
  fetch(`${fixture.api.base}/v1/webhooks${path}`, { method: 'POST', headers: { Authorization: `Bearer ${as}` }, body });
const roll = async () => webhookRoll.parse(await (await send(`/${endpoint.id}/roll`)).json());
/** The present secrets of the endpoint in the Vault. */
const storedSecrets = async () =>
  (
    await fixture.db.sql<{ secret: string }[]>`
      select decrypted_secret as secret from vault.decrypted_secrets where name like ${`webhook:${endpoint.id}%`}`
  ).map((row) => row.secret);

type Attempt = { delivery_id: string; body: string; signed_at: string; signature: string; standard_signature: string };
/** A claimed delivery, with the signatures that the sender puts into its headers. */
async function claimed(): Promise<Attempt> {
  await enqueue(fixture.db.sql, endpoint.id);
  const [attempt] = await fixture.db.sql<Attempt[]>`
    select delivery_id, body, signed_at::text, signature, standard_signature
    from webhook.claim_deliveries(10, 10, interval '5 seconds')`;
  if (!attempt) throw new Error('no delivery was claimed');
  await fixture.db.sql`delete from webhook.deliveries`;
  return attempt;
}
/** Whether a receiver with this secret verifies X-Svc-Signature, and webhook-signature. */
function verifies(secret: string, attempt: Attempt): [boolean, boolean] {
  const { body, delivery_id: id, signed_at: at } = attempt;
  const expected = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
  const headers = { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': attempt.standard_signature };
  let standard = true;
  try {
    new Webhook(secret).verify(body, headers);
  } catch {
    standard = false;
  }
  return [`t=${at},v1=${attempt.signature}`.split(',v1=').slice(1).includes(expected), standard];
}

test('a receiver that knows the old or the new secret verifies for a day, and after it only the new one', async () => {
  const { secret, previous_secret_until: until } = await roll();
  expect(secret).not.toBe(endpoint.secret);
  expect(Math.abs(Date.parse(until) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000);
  const attempt = await claimed();
  expect([verifies(endpoint.secret, attempt), verifies(secret, attempt)]).toEqual([
    [true, true],
    [true, true],
  ]);
  expect(verifies(`whsec_${Buffer.alloc(32).toString('base64')}`, attempt)).toEqual([false, false]);
  await fixture.db.sql`update webhook.endpoints set previous_secret_until = clock_timestamp() - interval '1 second'`;
  const later = await claimed();
  expect([verifies(endpoint.secret, later), verifies(secret, later)]).toEqual([
    [false, false],
    [true, true],
  ]);
  expect([later.signature.length, later.standard_signature.split(' ').length]).toEqual([64, 1]);
});

test('before a roll a delivery has one signature of each form', async () => {
  const attempt = await claimed();
  expect([attempt.signature.length, attempt.standard_signature.split(' ').length]).toEqual([64, 1]);
});

test('a second roll within the day ends the oldest secret, and the Vault keeps two', async () => {
  const first = await roll();
  const second = await roll();
  const attempt = await claimed();
  expect([endpoint.secret, first.secret, second.secret].map((secret) => verifies(secret, attempt)[0])).toEqual([
    false,
    true,
    true,
  ]);
  expect((await storedSecrets()).sort()).toEqual([first.secret, second.secret].sort());
});

test('retention deletes the old secret after its day, and a deletion of the endpoint deletes both', async () => {
  await roll();
  await fixture.db.sql`select webhook.purge_expired()`;
  expect(await storedSecrets()).toHaveLength(2);
  await fixture.db.sql`update webhook.endpoints set previous_secret_until = clock_timestamp() - interval '1 second'`;
  await fixture.db.sql`select webhook.purge_expired()`;
  expect(await storedSecrets()).toHaveLength(1);
  await roll();
  await fixture.db.sql`delete from webhook.endpoints`;
  expect(await storedSecrets()).toEqual([]);
});

test('the list has the preview of the new secret and the end of the old one, and the audit names the key', async () => {
  const { secret, previous_secret_until } = await roll();
  const response = await fixture.get('/v1/webhooks', key);
  expect((await response.json()).webhooks).toMatchObject([
    { secret_preview: secret.slice(0, 10), previous_secret_until },
  ]);
  const rows = await fixture.db.sql`
    select a.actor = 'key ' || k.prefix as by_key from account.audit a join account.keys k on k.org_id = a.org_id
    where a.action = 'webhook.rolled' and k.hash = account.key_hash(${key})`;
  expect(rows).toEqual([{ by_key: true }]);
});

test('only the organization of an endpoint rolls its secret, with a key of scope full, on a plan with webhooks', async () => {
  const codeOf = async (response: Response) => [response.status, (await response.json()).code];
  const path = `/${endpoint.id}/roll`;
  expect(await codeOf(await send(path, null, await fixture.key('pro')))).toEqual([404, 'webhook.not_found']);
  expect(await codeOf(await send(path, null, await fixture.key('free')))).toEqual([403, 'webhook.tier']);
  expect(await codeOf(await send('/nonsense/roll'))).toEqual([422, 'validation']);
  expect(await storedSecrets()).toEqual([endpoint.secret]);
});

test('an owner rolls the secret on the dashboard; a member and a stranger do not', async () => {
  const { sql } = fixture.db;
  const { owner, org } = await organization(sql);
  await sql`select account.set_plan(${org}, 'basic', 'active', 'test')`;
  const member = await addMember(sql, owner, org, 'member');
  const { id, secret } = await registerEndpoint(sql, owner, org);
  const call = `roll_webhook('${id}')`;
  await expectRpcError(rpc(sql, member, call), 403, 'role.owner_needed');
  await expectRpcError(rpc(sql, (await organization(sql)).owner, call), 404, 'webhook.not_found');
  const rolled = webhookRoll.parse(await rpc(sql, owner, call));
  expect([rolled.id, rolled.secret === secret]).toEqual([id, false]);
});
