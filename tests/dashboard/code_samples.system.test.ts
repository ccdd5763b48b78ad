import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { Parallax, type ParallaxOptions } from '../../client/src/index.ts';
import { samplesOf } from '../../dashboard/src/docs/code_samples.ts';
import { type ApiDocument, type Endpoint, toReference } from '../../dashboard/src/docs/document.ts';
import { type Draft, draftOf } from '../../dashboard/src/docs/draft.ts';
import { routes } from '../../functions/api/app.ts';
import { buildDocument } from '../../functions/api/contract/document.ts';
import { parseCurl, type SentRequest, sampleOf, sentRequest } from './support/sample_requests.ts';

const BASE_URL = 'http://127.0.0.1:1/functions/v1/api';

let endpoints: Endpoint[];
beforeAll(async () => {
  const document = (await buildDocument(routes, undefined)) as ApiDocument;
  endpoints = toReference(document).sections.flatMap((section) => section.endpoints);
});

const endpointOf = (id: string): Endpoint => {
  const found = endpoints.find((endpoint) => endpoint.id === id);
  if (!found) throw new Error(`There is no endpoint ${id}.`);
  return found;
};

/**
 * Runs a TypeScript sample, which is also valid JavaScript, with the real client. Returns the
 * request that it sends.
 */
async function runTypescript(sample: string): Promise<SentRequest> {
  let sent: SentRequest | undefined;
  const fetch = async (request: Request) => {
    sent = sentRequest(request.method, request.url, request.headers, await request.text());
    return new Response('{}', { headers: { 'content-type': 'application/json' } });
  };
  class NotedParallax extends Parallax {
    constructor(options: ParallaxOptions) {
      super({ ...options, fetch });
    }
  }
  const [first = '', ...rest] = sample.split('\n');
  expect(first).toBe("import { Parallax } from 'parallax-client';");
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown;
  await new AsyncFunction('Parallax', 'console', rest.join('\n'))(NotedParallax, { log: () => {} });
  if (!sent) throw new Error('The sample sent no request');
  return sent;
}

describe('the code samples of the reference', () => {
  test('the curl and TypeScript samples of every endpoint send the same request', async () => {
    expect(endpoints).toHaveLength(routes.length);
    for (const endpoint of endpoints) {
      const sent = await runTypescript(sampleOf(endpoint, 'typescript', BASE_URL));
      expect(sent, endpoint.id).toEqual(parseCurl(sampleOf(endpoint, 'curl', BASE_URL)));
      expect(sent.method, endpoint.id).toBe(endpoint.method);
      expect(sent.path, endpoint.id).toMatch(/^\/functions\/v1\/api\//);
    }
  });

  // tests/stack/client_python.suite.ts runs them with the package.
  const hasPython = spawnSync('python3', ['--version']).status === 0;
  test.skipIf(!hasPython)('the Python sample of every endpoint is valid Python', () => {
    const samples = endpoints.map((endpoint) => sampleOf(endpoint, 'python', BASE_URL));
    const program = 'import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)';
    const { status, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(samples),
      encoding: 'utf8',
    });
    expect([stderr, status]).toEqual(['', 0]);
  });

  test('the samples follow the values that the reader enters, with the types of the schema', async () => {
    const markets = endpointOf('get_markets');
    const draft: Draft = {
      values: { limit: '5', include: 'ids,best', has_history: 'true', sport: "o'x&" },
      body: undefined,
    };
    const [curl, typescript, python] = samplesOf(markets, draft, BASE_URL).map(({ text }) => text);
    expect(parseCurl(curl ?? '').query).toEqual([
      ['has_history', 'true'],
      ['include', 'best'],
      ['include', 'ids'],
      ['limit', '5'],
      ['sport', "o'x&"],
    ]);
    expect(await runTypescript(typescript ?? '')).toEqual(parseCurl(curl ?? ''));
    expect(python).toContain(`limit=5, include=["ids", "best"], has_history=True, sport="o'x&"`);
    const history = endpointOf('get_history');
    const ranged: Draft = { values: { ...draftOf(history).values, from: '2026-11-27' }, body: undefined };
    expect(samplesOf(history, ranged, BASE_URL)[2]?.text).toContain('**{"from": "2026-11-27"}');
  });

  test('no sample contains a key', () => {
    for (const endpoint of endpoints) {
      for (const { text } of samplesOf(endpoint, draftOf(endpoint), BASE_URL))
        expect(text).not.toMatch(/sk_live_\w{8}/);
    }
  });
});
