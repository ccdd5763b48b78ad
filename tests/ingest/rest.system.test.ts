import { constants, createVerify, generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { PaginationGuard, RestClient, RestError } from '../../functions/ingest/feeds/rest.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { signerOf } from '../../functions/ingest/venue_a/sign.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { runtime } from './runtime.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, url: URL) => void;
const servers: Server[] = [];

async function serve(handler: Handler): Promise<{ base: string; asked: URL[] }> {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    asked.push(url);
    handler(request, response, url);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { base: `http://127.0.0.1:${(server.address() as AddressInfo).port}/trade-api/v2`, asked };
}

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
const client = (base: string, more: Partial<ConstructorParameters<typeof RestClient>[0]> = {}): RestClient =>
  new RestClient({
    base,
    runtime,
    bucket: new TokenBucket(1_000, 1_000, runtime),
    timeoutMs: 300,
    attempts: 3,
    ...more,
  });
const fault = async (asking: Promise<unknown>): Promise<RestError> => {
  try {
    await asking;
  } catch (error) {
    if (error instanceof RestError) return error;
    throw error;
  }
  throw new Error('it answered');
};

describe('REST client', () => {
  it('retries after 429, 425 and 5xx, and throws with a code after the last attempt', async () => {
    let calls = 0;
    const { base } = await serve((_request, response) => {
      calls += 1;
      if (calls === 1) json(response, { error: 'too many requests' }, 429);
      else if (calls === 2) json(response, {}, 503);
      else json(response, { series: [{ ticker: 'KX' }] });
    });
    expect(await new VenueARest(client(base)).series()).toEqual([{ ticker: 'KX' }]);
    expect(calls).toBe(3);

    const down = await serve((_request, response) => json(response, {}, 500));
    expect(await fault(client(down.base).get('/x'))).toMatchObject({ code: 'rest.status', status: 500 });
    expect(down.asked).toHaveLength(3);
  });

  it('does not retry a 400', async () => {
    const { base, asked } = await serve((_request, response) => json(response, { error: 'no' }, 400));
    expect(await fault(client(base).get('/x'))).toMatchObject({ code: 'rest.status', status: 400 });
    expect(asked).toHaveLength(1);
  });

  it('throws with a code on a time-out, a network error and a response that is not JSON', async () => {
    const mute = await serve(() => {});
    expect(await fault(client(mute.base, { attempts: 2 }).get('/x'))).toMatchObject({ code: 'rest.timeout' });
    const html = await serve((_request, response) => response.end('<html>'));
    expect(await fault(client(html.base, { attempts: 2 }).get('/x'))).toMatchObject({ code: 'rest.not_json' });
    expect(await fault(client('http://127.0.0.1:1', { attempts: 2 }).get('/x'))).toMatchObject({
      code: 'rest.network',
    });
  });

  it('sends requests at the rate of its bucket', async () => {
    const { base, asked } = await serve((_request, response) => json(response, {}));
    const slow = client(base, { bucket: new TokenBucket(20, 2, runtime) });
    const began = Date.now();
    await Promise.all(Array.from({ length: 10 }, () => slow.get('/x')));
    expect(asked).toHaveLength(10);
    // Two at once, then eight more at 20 a second.
    expect(Date.now() - began).toBeGreaterThanOrEqual(380);
  });
});

describe('pagination', () => {
  it('ends at an empty cursor on venue_a and at a missing one on venue_b, with each venue’s parameter names', async () => {
    const a = await serve((_request, response, url) =>
      json(response, {
        events: [{ event_ticker: 'E' }],
        milestones: [],
        cursor: url.searchParams.get('cursor') ? '' : 'c1',
      }),
    );
    const restA = new VenueARest(client(a.base));
    expect((await restA.events(null)).cursor).toBe('c1');
    expect((await restA.events('c1')).cursor).toBeNull();
    expect(a.asked[1]?.search).toContain('cursor=c1');

    const b = await serve((_request, response, url) =>
      json(response, url.searchParams.get('after_cursor') ? { events: [] } : { events: [], next_cursor: 'n1' }),
    );
    const restB = new VenueBRest(client(b.base), client(b.base), client(b.base));
    expect((await restB.events(null)).cursor).toBe('n1');
    expect((await restB.events('n1')).cursor).toBeNull();
    expect(b.asked[1]?.searchParams.get('after_cursor')).toBe('n1');
  });

  it('detects a repeated cursor and a repeated row', () => {
    const guard = new PaginationGuard();
    expect([guard.next('a'), guard.next('b'), guard.next(''), guard.next(null)]).toEqual(['a', 'b', null, null]);
    expect(() => guard.next('a')).toThrow(expect.objectContaining({ code: 'rest.same_cursor' }));
    expect([guard.isNew('x'), guard.isNew('x')]).toEqual([true, false]);
  });

  it('returns null for an event that the venue no longer has', async () => {
    const { base } = await serve((_request, response) => json(response, { error: 'not found' }, 404));
    expect(await new VenueBRest(client(base), client(base), client(base)).eventBySlug('gone')).toBeNull();
  });
});

describe('signature of venue_a', () => {
  it('is a valid RSA-PSS signature over time, method and path without query', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const written of [pem, pem.replace(/\n/g, '\\n')]) {
      const sign = await signerOf('key-1', written, () => 1_700_000_000_123.4);
      const { base } = await serve((request, response, url) => {
        const stamp = String(request.headers['kalshi-access-timestamp']);
        const verify = createVerify('sha256').update(`${stamp}GET${url.pathname}`);
        const good = verify.verify(
          { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
          String(request.headers['kalshi-access-signature']),
          'base64',
        );
        json(response, { good, stamp, key: request.headers['kalshi-access-key'] });
      });
      expect(await client(base, { sign }).get('/events', { limit: 1 })).toEqual({
        good: true,
        stamp: '1700000000123',
        key: 'key-1',
      });
    }
    await expect(signerOf('key-1', 'nonsense', () => 0)).rejects.toThrow('PKCS#8');
  });
});
