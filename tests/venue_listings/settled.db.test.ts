import { afterAll, beforeAll, expect, test } from 'vitest';
import type { VenueCode } from '../../functions/ingest/listing.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: a page of settled listings that comes twice replaces its own events, and changes no
 * event of another page or venue.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db?.close());

/** An event with a market, two contracts, and a question with two legs. `label` may change. */
function eventOf(id: string, label: string) {
  const [market_id, question_id] = [`${id}-market`, `${id}-question`];
  const contracts = [1, 2].map((ordinal) => ({
    contract_id: `${id}-contract-${ordinal}`,
    ordinal,
    label: `${label} ${ordinal}`,
  }));
  return {
    ...{ event_id: id, title: label, payload: { tags: [label] } },
    markets: [{ market_id, title: label, state: 'final', payout: 1, contracts }],
    questions: [
      {
        ...{
          question_id,
          family: 'moneyline',
          key: id,
          category: 'sports',
          title: label,
          exclusive: true,
          identity: {},
          terms: {},
        },
        legs: contracts.map(({ contract_id, ordinal }) => ({
          ...{ ordinal, outcome_key: `outcome ${ordinal}`, outcome_name: label },
          ...{ market_id, contract_id, side: 'yes', detail: {} },
        })),
      },
    ],
  };
}

async function store(venue: VenueCode, ids: string[], label: string): Promise<number> {
  const page = { events: ids.map((id) => eventOf(id, label)) };
  const [row] = await db.sql<{ stored: number }[]>`
    select venue.store_settled_listings(${venue}, ${db.sql.json(page)}) as stored`;
  return row?.stored ?? Number.NaN;
}

/** The label of each stored row, by its id. */
async function stored(): Promise<Record<string, string>> {
  const rows = await db.sql<{ id: string; label: string }[]>`
    select event_id as id, title as label from venue.settled_events
    union all select market_id, title from venue.settled_markets
    union all select contract_id, label from venue.settled_contracts
    union all select question_id, (select min(l.outcome_name) from venue.settled_legs l where l.question_id = q.question_id)
    from venue.settled_questions q
    order by 1`;
  return Object.fromEntries(rows.map(({ id, label }) => [id, label]));
}

const rowsOf = (id: string, label: string) => ({
  [id]: label,
  [`${id}-contract-1`]: `${label} 1`,
  [`${id}-contract-2`]: `${label} 2`,
  [`${id}-market`]: label,
  [`${id}-question`]: label,
});

test('a page that comes again replaces its events, and no other', async () => {
  expect(await store('venue_a', ['A1', 'A2'], 'first')).toBe(2);
  expect(await store('venue_a', ['A3'], 'first')).toBe(1);
  expect(await store('venue_b', ['B1'], 'first')).toBe(1);
  expect(await store('venue_a', ['A2', 'A2'], 'second')).toBe(1);
  expect(await stored()).toEqual({
    ...rowsOf('A1', 'first'),
    ...rowsOf('A2', 'second'),
    ...rowsOf('A3', 'first'),
    ...rowsOf('B1', 'first'),
  });
  // The other venue may use the same id of an event.
  expect(await store('venue_b', ['A1'], 'third')).toBe(1);
  const [left] = await db.sql`select title from venue.settled_events where venue = 'venue_a' and event_id = 'A1'`;
  expect(left).toEqual({ title: 'first' });
});
