import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { UnknownValues } from '../../functions/ingest/feeds/unknown.ts';
import { venueBReader } from '../../functions/ingest/readers.ts';
import { VenueBRest } from '../../functions/ingest/venue_b/rest.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { VirtualNetwork } from '../support/virtual_network.ts';
import { restClient } from './feed_fixture.ts';
import { runtime } from './runtime.ts';

/** Guarantee: a failure of the data API changes no stored state of a market. */

let database: TestDatabase;
let queries: IngestQueries;
/** What the data API answers: rows, or a failure. */
let rows: unknown[] | null = null;
const network = new VirtualNetwork();
network.listen('venue-b.test', {
  async respond({ url }) {
    const isData = url.pathname.startsWith('/v2/resolutions');
    return { status: isData && rows === null ? 503 : 200, body: JSON.stringify(isData ? { data: rows } : event) };
  },
});

beforeAll(async () => {
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
});
afterAll(async () => {
  await queries?.end();
  await database?.close();
});

const conditionOf = (n: number): string => `0x01${String(n).repeat(60)}`;
const market = (n: number) => ({
  conditionId: conditionOf(n),
  slug: `m${n}`,
  question: `Q${n}?`,
  version: 'v2',
  positionIds: [`${n}0`, `${n}1`],
  clobTokenIds: `["${n}8", "${n}9"]`,
  outcomes: '["Yes", "No"]',
  active: true,
  closed: true,
  acceptingOrders: false,
  enableOrderBook: true,
  outcomePrices: '["1", "0"]',
});
const event = { slug: 'e', title: 'E', markets: [market(1), market(2)] };
/** The first market is resolved 50-50. The second one has no row. */
const resolved = {
  condition_id: `${conditionOf(1)}00`,
  status: 'resolved',
  payouts: [500_000, 500_000],
  resolved_at: '2026-11-20T10:00:00Z',
  was_disputed: false,
  a_new_field: 1,
};

/** Stores the event by a reader without memory of earlier resolutions. */
async function store(answered: unknown[] | null) {
  rows = answered;
  const client = restClient({ ...runtime, fetch: network.fetch }, 'http://venue-b.test', { attempts: 1 });
  const reader = venueBReader(new VenueBRest(client, client, client), () => ({ questions: [], rejected: [] }), {
    now: () => '2026-11-20T12:00:00.000Z',
    recorded: false,
    unknown: new UnknownValues('venue_b'),
  });
  const { batch } = await reader.eventsById(['e']);
  await queries.upsertListings('venue_b', null, batch);
  const stored = await database.sql<{ state: string; payout: string | null; tokens: string[] }[]>`
    select m.state, m.payout::real::text as payout, array_agg(c.contract_id order by c.ordinal) as tokens
    from venue.markets m join venue.contracts c on c.venue = m.venue and c.market_id = m.market_id
    where m.venue = 'venue_b' group by m.market_id, m.state, m.payout order by m.market_id`;
  return { stored: [...stored], codes: batch.rejected.map((row) => row.code) };
}

it('a v2 market stays final with its payout, and a closed one closed, while resolutions cannot be read', async () => {
  const expected = [
    { state: 'final', payout: '0.5', tokens: ['10', '11'] },
    { state: 'closed', payout: null, tokens: ['20', '21'] },
  ];
  expect(await store([resolved])).toEqual({ stored: expected, codes: [] });
  const codes = ['market.resolution_unread', 'market.resolution_unread'];
  expect(await store(null)).toEqual({ stored: expected, codes });
});

it.each([
  ['a half', [500_000, 400_000]],
  ['dollars instead of millionths', [1, 0]],
  ['one outcome', [1_000_000]],
  ['nothing', null],
])('a v2 market is not final by a resolved row with payouts of %s', async (_what, payouts) => {
  const { stored, codes } = await store([{ ...resolved, condition_id: `${conditionOf(2)}00`, payouts }]);
  expect(stored[1]).toMatchObject({ state: 'closed', payout: null });
  expect(codes).toEqual(['resolution.wrong_payouts']);
});
