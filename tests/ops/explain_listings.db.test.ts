import { afterAll, beforeAll, expect, it } from 'vitest';
import { context, gameA, gameB, NOW } from '../catalog/fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from '../catalog/listings.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: with any id of a listing an operator gets its questions, pairs and rejections, with
 * reasons.
 */

let database: TestDatabase;
const ticker = 'KXMLBGAME-26AUG092020HOUSD';
const sides = [
  { code: 'HOU', label: 'Houston' },
  { code: 'SD', label: 'San Diego' },
];
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
  await putListings(database.sql, 'venue_a', [listedA(gameA(ticker, 'Houston vs San Diego', sides), context)]);
  await putListings(database.sql, 'venue_b', [
    listedB(gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'x' }), context),
    listedB(gameB('mlb-hou-sd-2026-08-10', ['Astros', 'Padres'], { id: 'y' }), context),
    listedB(gameB('mlb-hou-sd-2026-08-09-more-markets', ['Astros', 'Padres'], { id: 'z' }), context),
  ]);
  await runMatchPass(database.sql);
});
afterAll(() => database.close());

type Why = {
  about: string;
  code: string;
  because: string;
  events: {
    event: string;
    series: string | null;
    markets: object;
    unread: string | null;
    unread_because: string | null;
  }[];
  series: { series: string; events: number; unread: object }[];
  questions: {
    question_id: string;
    excluded: string | null;
    excluded_because: string | null;
    unmatched: string | null;
    legs: unknown[];
  }[];
  pairs: {
    id: string;
    signals: { signal: string; why?: string }[];
    risks: { event: string; internal: boolean }[];
    gates: { gate: string; open: boolean; reason: string | null }[];
    after: { code: string | null };
    rule: { rule_id: string; parity: boolean };
    outcomes: unknown[];
  }[];
  rejections: { code: string; because: string; question_b: string }[];
  rejected_rows: { code: string; native_id: string }[];
};
const why = async (about: string): Promise<Why> => {
  const [row] = await database.sql<{ why: Why }[]>`select ops.explain(${about}) as why`;
  if (!row) throw new Error('ops.explain returned no row');
  return row.why;
};

it('ops.explain returns the signals, risks, gates and rule record of a pair', async () => {
  const { pairs, questions, rejections } = await why(ticker);
  expect(questions.map((one) => one.question_id)).toEqual([`venue_a:${ticker}`]);
  const [pair] = pairs;
  expect(pair?.signals.find((one) => one.signal === 'postponement')?.why).toMatch(/wait for a postponed game/);
  expect(pair?.risks.find((one) => one.event === 'cancel_payout')?.internal).toBe(true);
  expect(pair?.gates).toEqual([
    { gate: 'band', open: true, reason: null },
    { gate: 'parity', open: false, reason: 'parity.unconfirmed' },
    { gate: 'risk', open: true, reason: null },
    { gate: 'priced', open: false, reason: 'priced.never' },
  ]);
  expect(pair?.after.code).toBeNull();
  expect(pair?.rule.parity).toBe(false);
  expect(pair?.outcomes).toHaveLength(2);
  expect(rejections.map((one) => [one.code, one.question_b])).toEqual([
    ['rematch_next_day', 'venue_b:mlb-hou-sd-2026-08-10'],
  ]);
  expect(rejections[0]?.because).toMatch(/consecutive days/);
});

it('ops.explain finds the same pair by any id of its listings', async () => {
  const [pair] = (await why(ticker)).pairs;
  for (const about of [
    `${ticker}-SD`,
    ticker.toLowerCase(),
    ` ${ticker} `,
    'mlb-hou-sd-2026-08-09',
    '0xx',
    'x:1',
    `venue_a:${ticker}`,
    pair?.id ?? '',
    (pair?.id ?? '').replace('mkt_', ''),
  ])
    expect((await why(about)).pairs.map((one) => one.id)).toEqual([pair?.id]);
});

it('ops.explain returns why a listing is excluded', async () => {
  const { questions, pairs } = await why('mlb-hou-sd-2026-08-09-more-markets');
  expect(questions[0]).toMatchObject({ excluded: 'duplicate_listing', unmatched: 'duplicate_listing' });
  expect(questions[0]?.excluded_because).toMatch(/main event/);
  expect(pairs).toEqual([]);
});

it('ops.explain returns empty lists for an unknown listing, with any input', async () => {
  for (const about of ['', 'nothing', 'mkt_', "'; drop table x; --", 'mkt_00000000-0000-4000-8000-000000000000'])
    expect(await why(about)).toMatchObject({ questions: [], pairs: [], rejections: [], rejected_rows: [] });
});

/** Lists an event with two markets and no question. */
async function listUnread(
  venue: 'venue_a' | 'venue_b',
  id: string,
  { series = null as string | null, states = ['trading', 'closed'], rejected = [] as object[] } = {},
): Promise<void> {
  const markets = states.map((state, n) => ({
    market_id: venue === 'venue_a' ? `${id}-${n}` : `0x${id}${n}`,
    state,
    payload: { slug: `${id}-market-${n}` },
    contracts: [{ contract_id: `${id}:token:${n}`, ordinal: 0 }],
  }));
  const event = { event_id: id, series_id: series, title: id, payload: {}, markets, questions: [] };
  const batch = JSON.stringify({ events: [event], rejected });
  await database.sql`select venue.upsert_listings(${venue}, null, ${batch}::text::jsonb)`;
}

it('ops.explain names the event of any stored id and why it has no question', async () => {
  await listUnread('venue_a', 'KXNEW-26', { series: 'KXNEW' });
  await listUnread('venue_b', 'new-thing');
  for (const [about, event] of [
    ['KXNEW-26', 'KXNEW-26'],
    ['kxnew-26-1', 'KXNEW-26'],
    ['KXNEW-26:token:0', 'KXNEW-26'],
    ['new-thing', 'new-thing'],
    ['new-thing-market-1', 'new-thing'],
    ['0xnew-thing0', 'new-thing'],
    ['new-thing:token:1', 'new-thing'],
  ] as const) {
    const answer = await why(about);
    expect([about, answer.code, answer.events.map((one) => one.event)]).toEqual([about, 'no_parser', [event]]);
    expect(answer.because).toBe('No parser made a question of any event of this series.');
    expect(answer.events[0]).toMatchObject({ unread: 'no_parser', markets: { trading: 1, closed: 1 } });
  }
  expect((await why('kxnew')).series).toMatchObject([{ series: 'KXNEW', events: 1, unread: { no_parser: 1 } }]);
  expect((await why('KXNEW')).code).toBe('series');
});

it('ops.explain distinguishes the reasons of an event without a question', async () => {
  const rejection = (kind: string, native_id: string, code: string, payload: Record<string, string> = {}) => ({
    kind,
    native_id,
    code,
    detail: 'of a test',
    payload,
  });
  await database.sql`update venue.events set series_id = 'KXMLBGAME' where event_id = ${ticker}`;
  await listUnread('venue_a', 'KXSHUT-1', { states: ['final', 'gone'] });
  await listUnread('venue_a', 'KXBARE-1', { states: [] });
  await listUnread('venue_a', 'KXBAD-1', {
    states: [],
    rejected: [rejection('market', 'KXBAD-1-X', 'market.unknown_status', { event_ticker: 'KXBAD-1' })],
  });
  await listUnread('venue_a', 'KXFAIL-1', { rejected: [rejection('question', 'KXFAIL-1', 'identity.failed')] });
  await listUnread('venue_a', 'KXMLBGAME-ODD', { series: 'KXMLBGAME' });
  await listUnread('venue_a', 'KXMLBGAME-TYPE', {
    series: 'KXMLBGAME',
    rejected: [rejection('market', 'KXMLBGAME-TYPE-0', 'market.unknown_flag')],
  });
  await database.sql`
    select venue.record_rejected_rows('venue_b', ${database.sql.json([rejection('event', 'whole-event', 'event.missing_field')])})`;
  const codes = {
    'KXSHUT-1': 'markets_closed',
    'KXBARE-1': 'no_market',
    'KXBAD-1': 'market.unknown_status',
    'KXFAIL-1': 'identity.failed',
    'KXMLBGAME-ODD': 'not_read',
    'KXMLBGAME-TYPE': 'market.unknown_flag',
    'whole-event': 'event.missing_field',
    'not-listed-at-all': 'unlisted',
    [ticker]: 'paired',
    'mlb-hou-sd-2026-08-09-more-markets': 'duplicate_listing',
  };
  const found = await Promise.all(Object.keys(codes).map(async (about) => [about, (await why(about)).code]));
  expect(Object.fromEntries(found)).toEqual(codes);
  expect((await why('not-listed-at-all')).because).toMatch(/^No sweep listed it/);
  // The row was rejected under another id, the event under its own.
  expect((await why('KXFAIL-1-0')).rejected_rows).toMatchObject([{ native_id: 'KXFAIL-1', code: 'identity.failed' }]);
});

it('ops.explain may not be called by the service roles', async () => {
  const [row] = await database.sql`
    select bool_or(has_function_privilege(r, 'ops.explain(text)', 'execute')) as may from unnest(array['parallax_api', 'parallax_ingest']) r`;
  expect(row?.may).toBe(false);
});
