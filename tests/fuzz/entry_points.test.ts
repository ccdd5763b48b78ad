import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { rejectCaller, secretKeysOf } from '../../functions/_shared/http/cron_key.ts';
import { createLog } from '../../functions/_shared/log.ts';
import { parseCursor } from '../../functions/api/cursor.ts';
import { agentKeyOf, keyHashOf } from '../../functions/api/http/authorization.ts';
import { ApiError } from '../../functions/api/http/errors.ts';
import { isWellFormedKey } from '../../functions/api/http/keys.ts';
import { service as deliverService } from '../../functions/deliver/service.ts';
import { service as ingestService } from '../../functions/ingest/service.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { campaign } from './support/campaign.ts';
import { anyJson, anyText, asWritten } from './support/texts.ts';

// Guarantee: what opens a door (a key, a cursor, a token's claims) is what was given out or is refused, never an error.

const cronKey = 'sb_secret_cron_1';
const metricsKeys = ['sb_secret_metrics_1', cronKey];
const silent = createLog({ function: 'a test', print: () => {} });
let world: ApiFixture;
let key: string;
let orgs: string[];
let cursors: { sort: string; cursor: string }[];
beforeAll(async () => {
  world = await createApiFixture({ metricsKeys });
  key = await world.key('pro');
  await world.key('pro');
  orgs = (await world.db.sql<{ org_id: string }[]>`select org_id from account.organizations`).map((row) => row.org_id);
  const sorts = ['start_time', '-start_time', '-spread_pts'];
  cursors = await Promise.all(
    sorts.map(async (sort) => {
      const page = await (await world.get(`/v2/markets?limit=1&sort=${sort}`, key)).json();
      return { sort, cursor: String(page.next_cursor) };
    }),
  );
}, 60_000);
afterAll(() => world.close());

/** A text with some of its characters changed, lost or doubled. */
const nearly = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.nat(text.length), fc.oneof(fc.constantFrom('', '0', 'a', 'Z', '_', '=', ' '), anyText)), {
      minLength: 1,
      maxLength: 3,
    })
    .map((edits) => edits.reduce((so, [at, put]) => so.slice(0, at) + put + so.slice(at + 1), text));

campaign(
  'a key that differs from a minted key in any character is rejected',
  () =>
    fc.asyncProperty(
      fc.oneof(nearly(key), anyText),
      fc.constantFrom('Authorization', 'X-API-Key'),
      async (given, header) => {
        const shown = given.replaceAll(/[^\x21-\x7e]/g, '');
        if (shown === key || shown === '') return;
        const headers = new Headers({ [header]: header === 'X-API-Key' ? shown : `Bearer ${shown}` });
        const opened = async () => (header === 'X-API-Key' ? agentKeyOf(headers) : keyHashOf(headers));
        // What the checksum lets through is nobody's.
        if (isWellFormedKey(shown)) expect((await world.get('/v1/account', shown)).status).toBe(401);
        else await expect(opened()).rejects.toBeInstanceOf(ApiError);
      },
    ),
  400,
);

campaign(
  'an internal function accepts its own secret key only',
  () =>
    fc.asyncProperty(anyText, anyText, async (secret, given) => {
      const shown = given.replaceAll(/[^\x20-\x7e]/g, '').trim();
      const refused = await rejectCaller(
        new Headers(shown === '' ? {} : { apikey: shown }),
        secret === '' ? null : secret,
        'a-request',
      );
      expect(refused === null).toBe(shown !== '' && shown === secret);
      if (refused) expect(refused.status).toBe(401);
      for (const keys of [{ cron: secret }, [secret], secret])
        expect(() => secretKeysOf(JSON.stringify(keys))).not.toThrow();
    }),
  300,
);

const doors = [
  ['ingest', (start: () => boolean) => ingestService({ log: silent, cronKey, heldLeases: () => [], start })],
  ['deliver', (start: () => boolean) => deliverService({ log: silent, cronKey, start })],
] as const;

campaign(
  'ingest and deliver start a worker for a POST with the cron key only, and reject every other request',
  () =>
    fc.asyncProperty(
      fc.constantFrom(...doors),
      fc.oneof(
        { weight: 2, arbitrary: fc.constant('POST') },
        { weight: 1, arbitrary: fc.constantFrom('GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PURGE') },
      ),
      fc.oneof(
        { weight: 2, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: fc.constantFrom('/', '//', '/x', '/..', '/%2e%2e/deliver', '?apikey=sb_secret_cron') },
        asWritten(anyText).map((text) => `/${text}`),
      ),
      fc.dictionary(
        fc.constantFrom(
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
      async ([name, make], method, below, given, body) => {
        let begun = 0;
        const headers = new Headers();
        for (const [header, value] of Object.entries(given)) headers.set(header, value.replaceAll(/[^\x20-\x7e]/g, ''));
        const path = `/${name}${below}`;
        const hasBody = body !== null && method !== 'GET' && method !== 'HEAD';
        const asked = new Request(new URL(path, 'http://function'), { method, headers, ...(hasBody ? { body } : {}) });
        const answer = await make(() => {
          begun += 1;
          return true;
        }).fetch(asked);
        const mayStart =
          method === 'POST' && new URL(asked.url).pathname === `/${name}` && headers.get('apikey') === cronKey;
        expect([answer.status === 202, begun]).toEqual([mayStart, Number(mayStart)]);
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

campaign(
  'GET /metrics accepts the exact keys of the operators and no key of a customer',
  () =>
    fc.asyncProperty(
      fc.oneof(
        fc.constantFrom(...metricsKeys, 'sb_secret_default'),
        fc.constantFrom(...metricsKeys).chain(nearly),
        nearly(key),
        anyText,
      ),
      fc.constantFrom('apikey', 'Authorization', 'X-API-Key'),
      fc.constantFrom('', '?apikey=sb_secret_metrics_1', '/', '/x'),
      async (given, header, below) => {
        const shown = given.replaceAll(/[^\x20-\x7e]/g, '').trim();
        const answer = await fetch(`${world.api.base}/metrics${below}`, { headers: { [header]: shown } });
        const text = await answer.text();
        const opens = header === 'apikey' && metricsKeys.includes(shown) && !below.startsWith('/');
        expect(answer.status).toBe(
          opens ? 200 : below.startsWith('/') ? 404 : header === 'apikey' && shown !== '' ? 403 : 401,
        );
        if (!opens)
          expect(JSON.parse(text)).toMatchObject({ code: expect.any(String), request_id: expect.any(String) });
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
          kind: fc.constant('began' as const),
          value: fc.oneof(fc.maxSafeInteger(), fc.double(), anyJson(1)),
        }),
        fc.record({ kind: fc.constant('whole' as const), value: anyJson(2) }),
        fc.record({ kind: fc.constant('bytes' as const), value: anyText }),
      ),
      async ({ sort, cursor }, { kind, value }) => {
        const given = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [string, string, string, number];
        const [view, at, id, began] = given;
        const forged: Record<typeof kind, () => string> = {
          key: () => base64url([view, value, id, began]),
          id: () => base64url([view, at, value, began]),
          began: () => base64url([view, at, id, value]),
          whole: () => base64url(value),
          bytes: () => String(value),
        };
        const made = forged[kind]();
        const answer = await world.get(
          `/v2/markets?limit=1&sort=${sort}&cursor=${encodeURIComponent(made.toWellFormed())}`,
          await roomyKey(),
        );
        expect([200, 422]).toContain(answer.status);
        await answer.arrayBuffer();
        expect(() => parseCursor(made, view, sort)).not.toThrow();
      },
    ),
  200,
);

/** A window is 1,500 requests of one organization. */
let asked = 0;
let roomy = '';
async function roomyKey(): Promise<string> {
  if (asked++ % 1_000 === 0) roomy = await world.key('pro');
  return roomy;
}

/** Claims of nobody's. A `sub` beside the organization of somebody else is what a session could try; our own key alone signs one without. */
const claims = fc.oneof(
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
      claims,
      fc.constantFrom('authenticated', 'anon'),
      fc.oneof(
        fc.constantFrom('markets:all', 'sample', 'quotes:all', 'candidates:nba', 'status', 'org:mine', 'org:'),
        anyText,
      ),
      async (one, role, about) => {
        const org = orgs[0] ?? '';
        const told = JSON.stringify(one, (name, value) => (name === 'org' ? org : value)) ?? 'null';
        const topic = (about === 'org:mine' ? `org:${org}` : about).toWellFormed().replaceAll('\0', '');
        expect(await heard(told, role, topic)).toBe(0);
      },
    ),
  150,
);

/** What Realtime would see of a topic with these claims: a probe row, a look as the caller, and a rollback. An error refuses too. */
async function heard(told: string, role: string, topic: string): Promise<number> {
  class Back extends Error {
    seen: number;
    constructor(seen: number) {
      super('back');
      this.seen = seen;
    }
  }
  const asking = world.db.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${told}, true), set_config('realtime.topic', ${topic}, true)`;
    await tx`insert into realtime.messages (topic, extension) values (${topic}, 'broadcast')`;
    await tx.unsafe(`set local role ${role}`);
    throw new Back((await tx`select from realtime.messages`).length);
  });
  return await asking.then(
    () => -1,
    (error) =>
      error instanceof Back ? error.seen : 'code' in error && /^(?:22|42501)/.test(String(error.code)) ? 0 : -1,
  );
}
