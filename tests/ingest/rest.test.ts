import { constants, createVerify, generateKeyPairSync } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { backoffDelay } from '../../functions/_shared/runtime.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { PaginationGuard, type RestClient, RestError, type RestOptions } from '../../functions/ingest/feeds/rest.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import type { HttpResponse } from '../../local/venue_simulator/core/http.ts';
import type { VenueRequest } from '../../local/venue_simulator/core/venue.ts';
import { VirtualNetwork } from '../support/virtual_network.ts';
import { seededRandom, VirtualTime } from '../support/virtual_time.ts';
import { restClient } from './feed_fixture.ts';

let time: VirtualTime;
let network: VirtualNetwork;
let hosts = 0;
beforeEach(() => {
  time = new VirtualTime();
  network = new VirtualNetwork();
});

type Asked = { url: URL; at: number };

/** A server with a name of its own, and when it was asked for what. */
function serve(handler: (request: VenueRequest) => HttpResponse | Promise<HttpResponse>): {
  base: string;
  asked: Asked[];
} {
  const asked: Asked[] = [];
  hosts += 1;
  const host = `venue-${hosts}.test`;
  network.listen(host, {
    async respond(request) {
      asked.push({ url: request.url, at: time.now() });
      return await handler(request);
    },
  });
  return { base: `http://${host}/trade-api/v2`, asked };
}

const json = (body: unknown, status = 200): HttpResponse => ({ status, body: JSON.stringify(body) });
const client = (base: string, more: Partial<RestOptions> = {}): RestClient => {
  const { now, sleep, random } = time;
  return restClient({ fetch: network.fetch, now, sleep, random }, base, { timeoutMs: 300, attempts: 3, ...more });
};
const run = <T>(work: Promise<T>): Promise<T> => time.run(work);
const fault = async (asking: Promise<unknown>): Promise<RestError> => {
  try {
    await run(asking);
  } catch (error) {
    if (error instanceof RestError) return error;
    throw error;
  }
  throw new Error('it answered');
};

/** The waits of this run before the second attempt, the third and so on, ms. */
function waits(count: number): number[] {
  const random = seededRandom('jitter');
  return Array.from({ length: count }, (_, attempt) => backoffDelay(attempt, 250, 8_000, random));
}

describe('REST client', () => {
  it('retries after 429, 425 and 5xx, and throws with a code after the last attempt', async () => {
    const answers = [json({ error: 'too many requests' }, 429), json({}, 503), json({ series: [{ ticker: 'KX' }] })];
    const { base, asked } = serve(() => answers.shift() ?? json({}, 400));
    const startsAt = time.now();
    expect(await run(new VenueARest(client(base)).series())).toEqual([{ ticker: 'KX' }]);
    const [first = 0, second = 0] = waits(2);
    expect(asked.map(({ at }) => at - startsAt)).toEqual([0, first, first + second]);

    for (const status of [425, 500]) {
      const down = serve(() => json({}, status));
      expect(await fault(client(down.base).get('/x'))).toMatchObject({ code: 'rest.status', status });
      expect(down.asked).toHaveLength(3);
    }
  });

  it('waits as long as the venue asks for, but not for longer than 30 s', async () => {
    for (const [seconds, ms] of [
      ['3', 3_000],
      ['900', 30_000],
    ] as const) {
      const answers = [{ ...json({}, 429), headers: { 'retry-after': seconds } }, json({ ok: true })];
      const { base } = serve(() => answers.shift() ?? json({}, 400));
      const startsAt = time.now();
      expect(await run(client(base).get('/x'))).toEqual({ ok: true });
      expect(time.now() - startsAt).toBe(ms);
    }
  });

  it('does not retry a 400', async () => {
    const { base, asked } = serve(() => json({ error: 'no' }, 400));
    expect(await fault(client(base).get('/x'))).toMatchObject({ code: 'rest.status', status: 400 });
    expect(asked).toHaveLength(1);
  });

  it('throws with a code on a time-out, a network error and a response that is not JSON', async () => {
    const mute = serve(() => new Promise(() => {}));
    const startsAt = time.now();
    expect(await fault(client(mute.base, { attempts: 2 }).get('/x'))).toMatchObject({ code: 'rest.timeout' });
    // Two attempts of 300 ms, and the wait between them.
    expect(time.now() - startsAt).toBe(600 + (waits(1)[0] ?? 0));
    const html = serve(() => ({ status: 200, body: '<html>' }));
    expect(await fault(client(html.base, { attempts: 2 }).get('/x'))).toMatchObject({ code: 'rest.not_json' });
    expect(html.asked).toHaveLength(2);
    expect(await fault(client('http://nowhere.test', { attempts: 2 }).get('/x'))).toMatchObject({
      code: 'rest.network',
    });
  });

  it('sends requests at the rate of its bucket', async () => {
    const { base, asked } = serve(() => json({}));
    const { now, sleep, random } = time;
    const slow = client(base, { bucket: new TokenBucket(20, 2, { fetch: network.fetch, now, sleep, random }) });
    const startsAt = time.now();
    await run(Promise.all(Array.from({ length: 10 }, () => slow.get('/x'))));
    // Two at once, then eight more at 20 a second.
    expect(asked.map(({ at }) => at - startsAt)).toEqual([0, 0, 50, 100, 150, 200, 250, 300, 350, 400]);
  });
});

describe('pagination', () => {
  it('ends at an empty cursor on venue_a and at a missing one on venue_b, with each venue’s parameter names', async () => {
    const a = serve(({ url }) =>
      json({
        events: [{ event_ticker: 'E' }],
        milestones: [],
        cursor: url.searchParams.get('cursor') ? '' : 'c1',
      }),
    );
    const restA = new VenueARest(client(a.base));
    expect((await run(restA.events(null))).cursor).toBe('c1');
    expect((await run(restA.events('c1'))).cursor).toBeNull();
    expect(a.asked[1]?.url.search).toContain('cursor=c1');

    const b = serve(({ url }) =>
      json(url.searchParams.get('after_cursor') ? { events: [] } : { events: [], next_cursor: 'n1' }),
    );
    const restB = new VenueBRest(client(b.base), client(b.base), client(b.base));
    expect((await run(restB.events(null))).cursor).toBe('n1');
    expect((await run(restB.events('n1'))).cursor).toBeNull();
    expect(b.asked[1]?.url.searchParams.get('after_cursor')).toBe('n1');
  });

  it('detects a repeated cursor and a repeated row', () => {
    const guard = new PaginationGuard();
    expect([guard.next('a'), guard.next('b'), guard.next(''), guard.next(null)]).toEqual(['a', 'b', null, null]);
    expect(() => guard.next('a')).toThrow(expect.objectContaining({ code: 'rest.same_cursor' }));
    expect([guard.isNew('x'), guard.isNew('x')]).toEqual([true, false]);
  });

  it('returns null for an event that the venue no longer has', async () => {
    const { base } = serve(() => json({ error: 'not found' }, 404));
    const rest = new VenueBRest(client(base), client(base), client(base));
    expect(await run(rest.eventBySlug('gone'))).toBeNull();
  });
});

describe('signature of venue_a', () => {
  it('is a valid RSA-PSS signature over time, method and path without query', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const written of [pem, pem.replace(/\n/g, '\\n')]) {
      const signer = await signerOf('key-1', written, () => 1_700_000_000_123.4);
      const sign: typeof signer = (method, path) => time.outside(() => signer(method, path));
      const { base } = serve(({ headers, url }) => {
        const stamp = String(headers['kalshi-access-timestamp']);
        const verify = createVerify('sha256').update(`${stamp}GET${url.pathname}`);
        const good = verify.verify(
          { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
          String(headers['kalshi-access-signature']),
          'base64',
        );
        return json({ good, stamp, key: headers['kalshi-access-key'] });
      });
      expect(await run(client(base, { sign }).get('/events', { limit: 1 }))).toEqual({
        good: true,
        stamp: '1700000000123',
        key: 'key-1',
      });
    }
    await expect(signerOf('key-1', 'nonsense', () => 0)).rejects.toThrow('PKCS#8');
  });
});
