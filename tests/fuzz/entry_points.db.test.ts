import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { rejectCaller } from '../../functions/_shared/http/cron_key.ts';
import { createLog } from '../../functions/_shared/log.ts';
import { parseCursor } from '../../functions/api/cursor.ts';
import { agentKeyOf, keyHashOf } from '../../functions/api/http/authorization.ts';
import { ApiError } from '../../functions/api/http/errors.ts';
import { isWellFormedKey } from '../../functions/api/http/keys.ts';
import { service as deliverService } from '../../functions/deliver/service.ts';
import { service as ingestService } from '../../functions/ingest/service.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { campaign } from './support/campaign.ts';
import { anyJson, anyText, inUrl } from './support/texts.ts';

/**
 * Guarantee: a credential (an API key, a secret key, a cursor, the claims of a token) is accepted
 * only if the platform issued it. Any other value is rejected and causes no server error.
 */

const cronKey = 'sb_secret_cron_1';
const metricsKeys = ['sb_secret_metrics_1', cronKey];
const silentLog = createLog({ function: 'a test', print: () => {} });
let fixture: ApiFixture;
let key: string;
let orgs: string[];
let cursors: { sort: string; cursor: string }[];
beforeAll(async () => {
  fixture = await createApiFixture({ metricsKeys });
  key = await fixture.key('pro');
  await fixture.key('pro');
  orgs = (await fixture.db.sql<{ org_id: string }[]>`select org_id from account.organizations`).map(
    (row) => row.org_id,
  );
  const sorts = ['start_time', '-start_time', '-spread_pts'];
  cursors = await Promise.all(
    sorts.map(async (sort) => {
      const page = await (await fixture.get(`/v2/markets?limit=1&sort=${sort}`, key)).json();
      return { sort, cursor: String(page.next_cursor) };
    }),
  );
});
afterAll(() => fixture.close());

/** The text with one to three characters replaced, removed or followed by others. */
const nearly = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.oneof(fc.constantFrom('', '0', 'a', 'Z', '_', '=', ' '), anyText)), {
      minLength: 1,
      maxLength: 3,
    })
    .map((edits) => edits.reduce((edited, [at, put]) => edited.slice(0, at) + put + edited.slice(at + 1), text));

campaign(
  'a key that differs from a minted key in any character is rejected',
  () =>
    fc.asyncProperty(
      fc.oneof(nearly(key), anyText),
      fc.constantFrom('Authorization', 'X-API-Key'),
      async (text, header) => {
        const sentKey = text.replaceAll(/[^\x21-\x7e]/g, '');
        if (sentKey === key || sentKey === '') return;
        const headers = new Headers({ [header]: header === 'X-API-Key' ? sentKey : `Bearer ${sentKey}` });
        const parse = async () => (header === 'X-API-Key' ? agentKeyOf(headers) : keyHashOf(headers));
        // A key with a valid checksum belongs to no organization.
        if (isWellFormedKey(sentKey)) expect((await fixture.get('/v1/account', sentKey)).status).toBe(401);
        else await expect(parse()).rejects.toBeInstanceOf(ApiError);
      },
    ),
  400,
);

campaign(
  'an internal function accepts its own secret key only',
  () =>
    fc.asyncProperty(anyText, anyText, async (secret, text) => {
      const sentKey = text.replaceAll(/[^\x20-\x7e]/g, '').trim();
      const rejection = await rejectCaller(
        new Headers(sentKey === '' ? {} : { 'x-cron-key': sentKey }),
        secret === '' ? null : secret,
        'a-request',
      );
      expect(rejection === null).toBe(sentKey !== '' && sentKey === secret);
      if (rejection) expect(rejection.status).toBe(401);
    }),
  300,
);

const services = [
  ['ingest', (start: () => boolean) => ingestService({ log: silentLog, cronKey, heldLeases: () => [], start })],
  ['deliver', (start: () => boolean) => deliverService({ log: silentLog, cronKey, start })],
] as const;

campaign(
  'ingest and deliver start a worker for a POST with the cron key only, and reject every other request',
  () =>
    fc.asyncProperty(
      fc.constantFrom(...services),
      fc.oneof(
        { weight: 2, arbitrary: fc.constant('POST') },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PURGE') },
      ),
      fc.oneof(
        { weight: 2, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', '/..', '/%2e%2e/deliver', '?apikey=sb_secret_cron') },
        inUrl(anyText).map((text) => `/${text}`),
      ),
      fc.dictionary(
        fc.constantFrom(
          'x-cron-key',
          'apikey',
          'Authorization',
          'X-Request-Id',
          'Content-Type',
          'X-Api-Key',
          'X-HTTP-Method-Override',
        ),
        fc.oneof(
          fc.constantFrom(cronKey, `Bearer ${cronKey}`, `${cronKey},${cronKey}`, ` ${cronKey}`),
          nearly(cronKey),
          anyText,
        ),
      ),
      fc.option(anyText),
      async ([name, createService], method, suffix, givenHeaders, body) => {
        let starts = 0;
        const headers = new Headers();
        for (const [header, value] of Object.entries(givenHeaders))
          headers.set(header, value.replaceAll(/[^\x20-\x7e]/g, ''));
        const path = `/${name}${suffix}`;
        const hasBody = body !== null && method !== 'GET' && method !== 'HEAD';
        const request = new Request(new URL(path, 'http://function'), {
          method,
          headers,
          ...(hasBody ? { body } : {}),
        });
        const answer = await createService(() => {
          starts += 1;
          return true;
        }).fetch(request);
        const mayStart =
          method === 'POST' && new URL(request.url).pathname === `/${name}` && headers.get('x-cron-key') === cronKey;
        expect([answer.status === 202, starts]).toEqual([mayStart, Number(mayStart)]);
        expect(answer.status).toBeLessThan(500);
        expect(answer.headers.get('X-Request-Id')).toMatch(/^[\x21-\x7e]{1,128}$/);
        const text = await answer.text();
        expect(text).not.toContain(cronKey);
        if (!mayStart && method !== 'HEAD')
          expect(JSON.parse(text)).toMatchObject({ code: expect.any(String), error: expect.any(String) });
      },
    ),
  400,
);

const bearerOf = (text: string): string => /^Bearer (.+)$/i.exec(text)?.[1] ?? '';

campaign(
  'GET /metrics accepts the exact keys of the operators and no key of a customer',
  () =>
    fc.asyncProperty(
      fc.oneof(
        fc.constantFrom(...metricsKeys, ...metricsKeys.map((one) => `Bearer ${one}`), 'sb_secret_default'),
        fc.constantFrom(...metricsKeys).chain(nearly),
        nearly(key),
        anyText,
      ),
      fc.constantFrom('apikey', 'Authorization', 'X-API-Key'),
      fc.constantFrom('', '?apikey=sb_secret_metrics_1', '/', '/x'),
      async (text, header, suffix) => {
        const sentKey = text.replaceAll(/[^\x20-\x7e]/g, '').trim();
        const answer = await fetch(`${fixture.api.base}/metrics${suffix}`, { headers: { [header]: sentKey } });
        const body = await answer.text();
        const given = header === 'apikey' ? sentKey : header === 'Authorization' ? bearerOf(sentKey) : '';
        const isAccepted = metricsKeys.includes(given) && !suffix.startsWith('/');
        expect(answer.status).toBe(isAccepted ? 200 : suffix.startsWith('/') ? 404 : given !== '' ? 403 : 401);
        if (!isAccepted)
          expect(JSON.parse(body)).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
      },
    ),
  150,
);

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '').toString('base64url');

campaign(
  'a cursor continues its own list or gets 422, with any content',
  () =>
    fc.asyncProperty(
      fc.constantFrom(...cursors),
      fc.oneof(
        fc.record({
          kind: fc.constant('key' as const),
          value: fc.oneof(
            fc.bigInt().map(String),
            fc.constantFrom('99999999999999999', '-99999999999999999', '999.9999', '1e5', null, 5),
            anyText,
          ),
        }),
        fc.record({ kind: fc.constant('id' as const), value: fc.oneof(fc.uuid(), anyText) }),
        fc.record({
          kind: fc.constant('changeNo' as const),
          value: fc.oneof(fc.maxSafeInteger(), fc.double(), anyJson(1)),
        }),
        fc.record({ kind: fc.constant('whole' as const), value: anyJson(2) }),
        fc.record({ kind: fc.constant('bytes' as const), value: anyText }),
      ),
      async ({ sort, cursor }, { kind, value }) => {
        const fields = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, string, number];
        const [view, sortKey, id, changeNo] = fields;
        const forgeries: Record<typeof kind, () => string> = {
          key: () => base64url([view, value, id, changeNo]),
          id: () => base64url([view, sortKey, value, changeNo]),
          changeNo: () => base64url([view, sortKey, id, value]),
          whole: () => base64url(value),
          bytes: () => String(value),
        };
        const forgedCursor = forgeries[kind]();
        const answer = await fixture.get(
          `/v2/markets?limit=1&sort=${sort}&cursor=${encodeURIComponent(forgedCursor.toWellFormed())}`,
          await keyBelowLimit(),
        );
        expect([200, 422]).toContain(answer.status);
        await answer.arrayBuffer();
        expect(() => parseCursor(forgedCursor, view, sort)).not.toThrow();
      },
    ),
  200,
);

/**
 * A rate-limit window allows an organization 1,500 requests: uses another organization after 1,000.
 */
let requests = 0;
let currentKey = '';
async function keyBelowLimit(): Promise<string> {
  if (requests++ % 1_000 === 0) currentKey = await fixture.key('pro');
  return currentKey;
}

/**
 * Claims that no user has. A session could try a `sub` together with the organization of another
 * user; only the platform's own key signs claims without a `sub`.
 */
const anyClaims = fc.oneof(
  anyJson(2),
  fc.dictionary(
    fc.constantFrom('sub', 'role', 'exp', 'aud', 'app_metadata', 'user_metadata', '__proto__'),
    fc.oneof(anyJson(2), fc.uuid()),
    { maxKeys: 4 },
  ),
  fc.record({ sub: fc.oneof(fc.uuid(), anyText), org: fc.nat().map((n) => ({ n })) }),
);

campaign(
  'a token with any claims joins no channel of another organization',
  () =>
    fc.asyncProperty(
      anyClaims,
      fc.constantFrom('authenticated', 'anon'),
      fc.oneof(
        fc.constantFrom(
          'markets:all',
          'sample',
          'quotes:all',
          'best:all',
          'candidates:nba',
          'status',
          'org:mine',
          'org:',
        ),
        anyText,
      ),
      async (value, role, topicName) => {
        const org = orgs[0] ?? '';
        const claims = JSON.stringify(value, (name, inner) => (name === 'org' ? org : inner)) ?? 'null';
        const topic = (topicName === 'org:mine' ? `org:${org}` : topicName).toWellFormed().replaceAll('\0', '');
        expect(await countVisible(claims, role, topic)).toBe(0);
      },
    ),
  150,
);

/**
 * Counts the messages of a topic that Realtime makes visible to these claims: inserts a row,
 * selects as the role and rolls back. Returns 0 for a data error or a missing permission, -1 for
 * any other failure.
 */
async function countVisible(claims: string, role: string, topic: string): Promise<number> {
  class Rollback extends Error {
    visible: number;
    constructor(visible: number) {
      super('rollback');
      this.visible = visible;
    }
  }
  const result = fixture.db.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${claims}, true), set_config('realtime.topic', ${topic}, true)`;
    await tx`insert into realtime.messages (topic, extension) values (${topic}, 'broadcast')`;
    await tx.unsafe(`set local role ${role}`);
    throw new Rollback((await tx`select from realtime.messages`).length);
  });
  return await result.then(
    () => -1,
    (error) =>
      error instanceof Rollback ? error.visible : 'code' in error && /^(?:22|42501)/.test(String(error.code)) ? 0 : -1,
  );
}
