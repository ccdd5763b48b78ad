import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { samplesOf } from '../../dashboard/src/docs/code_samples.ts';
import { type ApiDocument, type Endpoint, toReference } from '../../dashboard/src/docs/document.ts';
import { routes } from '../../functions/api/app.ts';
import { buildDocument } from '../../functions/api/contract/document.ts';

type SentRequest = { method: string; url: string; headers: Record<string, string>; body: unknown };

const BASE_URL = 'http://127.0.0.1:1/functions/v1/api';

let endpoints: Endpoint[];
beforeAll(async () => {
  const document = (await buildDocument(routes, undefined)) as ApiDocument;
  endpoints = toReference(document).sections.flatMap((section) => section.endpoints);
});

const sampleOf = (endpoint: Endpoint, language: string): string =>
  samplesOf(endpoint, BASE_URL).find((sample) => sample.language === language)?.text ?? '';

/**
 * Runs a TypeScript sample, which is also valid JavaScript, and returns the request that it sends.
 */
async function runTypescript(sample: string): Promise<SentRequest> {
  let sent: SentRequest | undefined;
  const fetch = async (url: string, options: RequestInit = {}) => {
    const headers = (options.headers ?? {}) as Record<string, string>;
    const body = options.body === undefined ? null : JSON.parse(String(options.body));
    sent = { method: options.method ?? 'GET', url, headers, body };
    return { ok: true, status: 200, json: async () => ({}) };
  };
  const AsyncFunction = (async () => {}).constructor as new (...parts: string[]) => (...values: unknown[]) => unknown;
  await new AsyncFunction('fetch', 'console', sample)(fetch, { log: () => {} });
  if (!sent) throw new Error('The sample sent no request');
  return sent;
}

/** The request of a curl sample, from its arguments as a shell splits them. */
function parseCurl(sample: string): SentRequest {
  const words = [...sample.replaceAll('\\\n', ' ').matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll("'\\''", "'") ?? plain ?? '',
  );
  const option = (name: string) => words.flatMap((word, index) => (word === name ? [words[index + 1] ?? ''] : []));
  const [body] = option('-d');
  return {
    method: option('-X')[0] ?? 'GET',
    url: words[2] ?? '',
    headers: Object.fromEntries(option('-H').map((header) => header.split(': ') as [string, string])),
    body: body === undefined ? null : JSON.parse(body),
  };
}

describe('the code samples of the reference', () => {
  test('the curl and TypeScript samples of every endpoint send the same request', async () => {
    expect(endpoints).toHaveLength(routes.length);
    for (const endpoint of endpoints) {
      const sent = await runTypescript(sampleOf(endpoint, 'typescript'));
      expect(sent, endpoint.id).toEqual(parseCurl(sampleOf(endpoint, 'curl')));
      expect(sent.method, endpoint.id).toBe(endpoint.method);
      expect(sent.url, endpoint.id).toContain(BASE_URL);
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  test.skipIf(!hasPython)('the Python sample of every endpoint sends the same request as curl', () => {
    const samples = endpoints.map((endpoint) => sampleOf(endpoint, 'python'));
    const { stdout, stderr } = spawnSync('python3', ['-c', RUN_SAMPLES], {
      input: JSON.stringify(samples),
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    const sent = JSON.parse(stdout) as SentRequest[];
    for (const [index, endpoint] of endpoints.entries()) {
      expect(sent[index], endpoint.id).toEqual(parseCurl(sampleOf(endpoint, 'curl')));
    }
  });

  test('no sample contains a key', () => {
    for (const endpoint of endpoints) {
      for (const { text } of samplesOf(endpoint, BASE_URL)) expect(text).not.toMatch(/sk_live_\w{8}/);
    }
  });
});

/** Runs each sample with a urlopen that records the request instead of sending it. */
const RUN_SAMPLES = `
import contextlib, io, json, sys, urllib.request

sent = []

def urlopen(request):
    url = request if isinstance(request, str) else request.full_url
    data = None if isinstance(request, str) else request.data
    sent.append({
        "method": request.get_method(),
        "url": url,
        # urllib writes Content-type; header names are case-insensitive.
        "headers": {name.title(): value for name, value in request.header_items()},
        "body": None if data is None else json.loads(data),
    })
    response = io.BytesIO(b"{}")
    response.status = 200
    return response

urllib.request.urlopen = urlopen
for sample in json.load(sys.stdin):
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(sample, "sample", "exec"), {})
print(json.dumps(sent))
`;
