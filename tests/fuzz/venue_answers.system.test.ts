import { createServer, type Server, type ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { type JsonFault, type JsonLimits, JsonScan } from '../../functions/_shared/json_limits.ts';
import { TokenBucket } from '../../functions/ingest/feeds/bucket.ts';
import { ANSWER_LIMITS, MAX_ANSWER_BYTES } from '../../functions/ingest/feeds/limits.ts';
import { RestClient, RestError } from '../../functions/ingest/feeds/rest.ts';
import { listen } from '../ingest/hostile_venue.ts';
import { runtime } from '../ingest/runtime.ts';
import { waitUntil } from '../support/wait_until.ts';
import { campaign } from './support/campaign.ts';
import { anyJson } from './support/texts.ts';

/**
 * Guarantee: over any answer of a venue, of any size and depth, cut anywhere, in pieces of any size
 * and without an end, the client returns the JSON that was sent or throws a RestError with a
 * documented code. It ends the connection of an answer that it does not read to its end.
 */

const jsonFault = (text: string, limits: JsonLimits) => new JsonScan(limits).add(text);

type Answer = { pieces: readonly Buffer[]; end: 'end' | 'cut' | 'endless' };

let server: Server;
let base: string;
let answer: Answer = { pieces: [], end: 'end' };
let open: ServerResponse | null = null;
beforeAll(async () => {
  server = createServer((_request, response) => {
    open = response;
    void respond(response, answer);
  });
  base = `http://127.0.0.1:${await listen(server)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function respond(response: ServerResponse, { pieces, end }: Answer): Promise<void> {
  const write = (piece: Buffer) =>
    new Promise<void>((done) => {
      if (response.destroyed) return done();
      response.write(piece, () => done());
      response.once('close', () => done());
    });
  response.setMaxListeners(0);
  for (const piece of pieces) await write(piece);
  if (end === 'end') response.end();
  else if (end === 'cut') response.destroy();
  else
    for (let sent = 0; sent < 4 * MAX_ANSWER_BYTES && !response.destroyed; sent += 1e6)
      await write(Buffer.alloc(1e6, ' '));
}

const LIMIT_CODES = ['rest.too_large', 'rest.too_deep', 'rest.too_many'];
const CODES = [...LIMIT_CODES, 'rest.network', 'rest.timeout', 'rest.not_json'];

/** What is nested, repeated or long: under and above each limit. */
const wideText = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.integer({ min: 1, max: 200 }).map((depth) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`),
  fc.integer({ min: 1, max: 1_200_000 }).map((count) => `[${'0,'.repeat(count)}0]`),
  fc.integer({ min: 1, max: 20 }).map((megabytes) => `"${'\\"[{,'.repeat(megabytes * 200_000)}"`),
);
const text = fc.oneof(
  { weight: 3, arbitrary: anyJson().map((value) => JSON.stringify(value) ?? 'null') },
  { weight: 1, arbitrary: wideText },
);

const anyAnswer = fc.record({
  text,
  cutAt: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: null, freq: 3 }),
  pieces: fc.integer({ min: 1, max: 8 }),
  end: fc.constantFrom<Answer['end']>('end', 'end', 'end', 'cut', 'endless'),
});

function inPieces(body: Buffer, count: number): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / count));
  return Array.from({ length: count }, (_, at) => body.subarray(at * size, (at + 1) * size)).filter(
    (one) => one.length,
  );
}

campaign(
  'a venue’s answer of any size and depth, cut anywhere or without an end, is the JSON that was sent or a documented error',
  () =>
    fc.asyncProperty(anyAnswer, async ({ text, cutAt, pieces, end }) => {
      const whole = Buffer.from(text);
      const sent = cutAt === null ? whole : whole.subarray(0, Math.floor(whole.length * cutAt));
      answer = { pieces: inPieces(sent, pieces), end };
      const client = new RestClient({
        base,
        runtime,
        bucket: new TokenBucket(1_000, 1_000, runtime),
        attempts: 1,
        timeoutMs: 20_000,
      });
      try {
        const value = await client.get('/x');
        expect(end).toBe('end');
        expect(sent.length).toBeLessThanOrEqual(MAX_ANSWER_BYTES);
        expect(jsonFault(sent.toString(), ANSWER_LIMITS)).toBeNull();
        expect(value).toEqual(JSON.parse(sent.toString()));
      } catch (error) {
        if (!(error instanceof RestError)) throw error;
        expect(CODES).toContain(error.code);
        if (end === 'endless') expect(LIMIT_CODES).toContain(error.code);
        if (LIMIT_CODES.includes(error.code))
          await waitUntil(() => open?.destroyed, { what: 'the end of the connection' });
      }
    }),
  80,
);

campaign(
  'a text in parts has the fault of the whole text, wherever it is cut',
  () =>
    fc.property(
      fc.oneof(
        anyJson().map((value) => JSON.stringify(value) ?? 'null'),
        fc.array(fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', 'a')).map((all) => all.join('')),
      ),
      fc.array(fc.nat(40)),
      fc.nat(6),
      fc.nat(12),
      (text, lengths, maxDepth, maxValues) => {
        const scan = new JsonScan({ maxDepth, maxValues });
        let fault: JsonFault | null = null;
        let rest = text;
        for (const length of [...lengths, text.length]) {
          fault ??= scan.add(rest.slice(0, length));
          rest = rest.slice(length);
        }
        expect(fault).toBe(jsonFault(text, { maxDepth, maxValues }));
      },
    ),
  5_000,
);

campaign(
  'the depth and the number of values are those of the parsed JSON, and its strings add nothing',
  () =>
    fc.property(fc.oneof(fc.jsonValue(), anyJson()), (value) => {
      const json = JSON.stringify(value);
      if (json === undefined) return;
      const { depth, values } = shapeOf(JSON.parse(json));
      expect(jsonFault(json, { maxDepth: depth })).toBeNull();
      if (depth > 0) expect(jsonFault(json, { maxDepth: depth - 1 })).toBe('too_deep');
      expect(jsonFault(json, { maxDepth: depth, maxValues: values })).toBeNull();
      if (values > 0) expect(jsonFault(json, { maxDepth: depth, maxValues: values - 1 })).toBe('too_many');
    }),
  2_000,
);

/** Levels, and the brackets that open plus the commas, counted in the value instead of its text. */
function shapeOf(value: unknown): { depth: number; values: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, values: 0 };
  const parts = Object.values(value).map(shapeOf);
  return {
    depth: 1 + Math.max(0, ...parts.map((part) => part.depth)),
    values: 1 + Math.max(0, parts.length - 1) + parts.reduce((sum, part) => sum + part.values, 0),
  };
}
