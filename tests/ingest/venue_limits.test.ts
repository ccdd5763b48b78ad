import { describe, expect, it } from 'vitest';
import { MAX_TEXT_CHARS } from '../../functions/ingest/feeds/clean.ts';
import {
  MAX_CURSOR_CHARS,
  MAX_MILESTONES_OF_EVENT,
  MAX_PAGE_RULES_CHARS,
  MAX_PAGES_IN_MEMORY,
  MAX_ROWS,
} from '../../functions/ingest/feeds/limits.ts';
import { PaginationGuard, type RestClient } from '../../functions/ingest/feeds/rest.ts';
import { listVenueA } from '../../functions/ingest/venue_a/listing.ts';
import { VenueARest } from '../../functions/ingest/venue_a/rest.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { contextA, contextB, validA, validB } from '../fuzz/support/listings.ts';

/**
 * Guarantee: an answer that is small enough to be read cannot take many times its memory
 * afterwards: in rows, in pages, in texts that are repeated, and in JSON inside of strings.
 */

const answering = (response: unknown) =>
  ({ get: async () => response, post: async () => response }) as unknown as RestClient;
const many = (count: number): unknown[] => Array.from({ length: count }, () => ({}));
const [marketA] = validA.markets as Record<string, unknown>[];
const [marketB] = validB.markets as Record<string, unknown>[];

describe('rows of an answer', () => {
  it('are an error above their limit', async () => {
    const a = (response: unknown) => new VenueARest(answering(response));
    const b = (response: unknown) => new VenueBRest(answering(response), answering(response), answering(response));
    const tooMany = { code: 'rest.too_many' };
    await expect(a({ events: many(MAX_ROWS.events + 1) }).events(null)).rejects.toMatchObject(tooMany);
    await expect(a({ series: many(MAX_ROWS.series + 1) }).series()).rejects.toMatchObject(tooMany);
    await expect(a({ orderbooks: many(MAX_ROWS.books + 1) }).books(['X'])).rejects.toMatchObject(tooMany);
    await expect(b({ events: many(MAX_ROWS.events + 1) }).events(null)).rejects.toMatchObject(tooMany);
    await expect(b(many(MAX_ROWS.books + 1)).books(['x'])).rejects.toMatchObject(tooMany);
    expect((await a({ events: many(MAX_ROWS.events) }).events(null)).events).toHaveLength(MAX_ROWS.events);
  });

  it('reject an event with too many markets, and keep its neighbour', () => {
    const wideA = { ...validA, event_ticker: 'WIDE', markets: Array(MAX_ROWS.markets + 1).fill(marketA) };
    expect(listVenueA([wideA, validA], contextA)).toMatchObject({
      events: [{ event_id: validA.event_ticker }],
      rejected: [{ native_id: 'WIDE', code: 'event.wrong_type' }],
    });
    const wideB = { ...validB, slug: 'wide', markets: Array(MAX_ROWS.markets + 1).fill(marketB) };
    expect(listVenueB([wideB, validB], contextB)).toMatchObject({
      events: [{ event_id: validB.slug }],
      rejected: [{ native_id: 'wide', code: 'event.wrong_type' }],
    });
  });
});

describe('a list whose pages never end', () => {
  it('ends with rest.endless after the pages that a list in memory may have', async () => {
    let page = 0;
    const client = { get: async () => ({ milestones: [], cursor: `c${page++}` }) } as unknown as RestClient;
    await expect(new VenueARest(client).milestones()).rejects.toMatchObject({ code: 'rest.endless' });
    expect(page).toBe(MAX_PAGES_IN_MEMORY);
  });

  it('has no cursor of any length', () => {
    expect(new PaginationGuard().next('c'.repeat(MAX_CURSOR_CHARS))).not.toBeNull();
    expect(() => new PaginationGuard().next('c'.repeat(MAX_CURSOR_CHARS + 1))).toThrow(
      expect.objectContaining({ code: 'rest.endless' }),
    );
  });
});

describe('a text that the venue sends once', () => {
  it('is not repeated for so many markets that the rules of a page take gigabytes', () => {
    const notice = 'n'.repeat(20_000);
    const events = Array.from({ length: 10 }, (_, at) => ({
      ...validA,
      event_ticker: `EVENT-${at}`,
      product_metadata: { important_info: { markdown: notice } },
      markets: Array(300).fill(marketA),
    }));
    const batch = listVenueA(events, { ...contextA, questionsOf: () => ({ questions: [], rejected: [] }) });
    const chars = batch.events
      .flatMap((event) => event.markets)
      .reduce((sum, { rules }) => sum + (rules ?? '').length, 0);
    expect(chars).toBeLessThanOrEqual(MAX_PAGE_RULES_CHARS);
    expect(batch.events.length).toBeGreaterThan(1);
    expect(batch.rejected.length).toBe(10 - batch.events.length);
    expect(new Set(batch.rejected.map(({ code }) => code))).toEqual(new Set(['event.too_long']));
  });

  it('gives an event no more milestones than its limit', () => {
    const milestone = { start_date: '2026-11-20T00:00:00Z', related_event_tickers: [validA.event_ticker] };
    const milestones = Array.from({ length: MAX_MILESTONES_OF_EVENT + 2 }, (_, id) => ({ id: `m${id}`, ...milestone }));
    const { events, rejected } = listVenueA([validA], { ...contextA, milestones });
    expect(events).toHaveLength(1);
    expect(rejected.map(({ code }) => code)).toEqual(['milestone.too_many', 'milestone.too_many']);
  });

  it('is not parsed as JSON when it is longer than any text may be', () => {
    const fill = (brackets: number) => ({ ...marketB, outcomes: `${'['.repeat(brackets)}${']'.repeat(brackets)}` });
    const parse = JSON.parse;
    const parsed: number[] = [];
    JSON.parse = (text: string) => {
      parsed.push(text.length);
      return parse(text);
    };
    try {
      const { rejected } = listVenueB([{ ...validB, markets: [fill(1_000_000)] }], contextB);
      expect(rejected[0]).toMatchObject({ code: 'market.wrong_type' });
    } finally {
      JSON.parse = parse;
    }
    expect(Math.max(0, ...parsed)).toBeLessThanOrEqual(MAX_TEXT_CHARS);
  });
});
