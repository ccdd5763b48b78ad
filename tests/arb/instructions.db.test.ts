import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { holdShardLeases, nameContract, putPair, type SeedPair, stopClock, uuidOf } from '../api/support/catalog.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { flush, opportunity } from './fixture.ts';

// The sentence that names what to buy. One SQL function renders it for REST, the stream, MCP and
// the dashboard.

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
  await holdShardLeases(db.sql);
  await stopClock(db.sql, '2026-11-20T12:00:00Z');
});
afterAll(() => db.close());
beforeEach(
  () =>
    db.sql`truncate catalog.pairs, catalog.outcomes, price.updates, price.latest_updates, arb.opportunities, arb.opportunity_states, venue.events cascade`,
);

type Named = { contract_label: string | null; instruction: string };
/** The legs of the newest state of the pair, as REST renders them now. */
async function legs(n: number): Promise<Named[]> {
  const [row] = await db.sql<{ json: string }[]>`
    select arb.opportunity_json(p, w.opportunity_id, w.opened_at, s) as json
    from arb.opportunities w
    join arb.opportunity_states s using (opportunity_id)
    join catalog.pairs p on p.pair_id = w.pair_id
    where w.pair_id = ${uuidOf(n)}
    order by s.state_no desc
    limit 1`;
  return (JSON.parse(row?.json ?? '{}') as { legs: Named[] }).legs;
}

const token = '28700130336153871642844056674068756539674823910351857104201502838609892069563';
/**
 * NO of the contract on Notre Dame, which pays if Miami wins, and the Notre Dame token of venue_b.
 */
const bothSides = () =>
  opportunity(1, [
    { key: 'notre-dame', venue: 'venue_b', ask: 500_000, fee: 12_500, contract: token },
    { key: 'miami', venue: 'venue_a', side: 'no', contract: 'KXNCAAFGAME-26NOV21MIAND-ND', ask: 450_000, fee: 17_400 },
  ]);
const college: SeedPair = {
  n: 1,
  confirmed: true,
  title: 'Miami (FL) vs Notre Dame',
  outcomes: [
    { key: 'notre-dame', name: 'Notre Dame', a: 'KXNCAAFGAME-26NOV21MIAND-ND', b: token },
    { key: 'miami', name: 'Miami (FL)', a: 'KXNCAAFGAME-26NOV21MIAND-MIA', b: '1001' },
  ],
};
const at = '2026-11-20T11:57:30.000Z';

describe('the instruction of a leg', () => {
  test('names the contract, its side, and the outcome on which it pays, which is another one for NO', async () => {
    await putPair(db.sql, college);
    await nameContract(db.sql, 'venue_a', 'KXNCAAFGAME-26NOV21MIAND-ND', 'Notre Dame', 'Notre Dame at Miami Winner?');
    await nameContract(db.sql, 'venue_a', 'KXNCAAFGAME-26NOV21MIAND-MIA', 'Miami (FL)');
    await nameContract(db.sql, 'venue_b', token, 'Notre Dame', 'Miami (FL) vs. Notre Dame');
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    expect(await legs(1)).toMatchObject([
      {
        contract_label: 'Miami (FL) vs. Notre Dame: Notre Dame',
        instruction: 'Buy Notre Dame on "Miami (FL) vs. Notre Dame" (token 28700130…9563). Pays $1 if Notre Dame wins',
      },
      {
        contract_label: 'Notre Dame',
        instruction: 'Buy NO on KXNCAAFGAME-26NOV21MIAND-ND (Notre Dame). Pays $1 if Miami (FL) wins',
      },
    ]);
  });

  test('names the contract by its id when the venue lists no name', async () => {
    await putPair(db.sql, college);
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    expect(await legs(1)).toMatchObject([
      { contract_label: null, instruction: 'Buy token 28700130…9563. Pays $1 if Notre Dame wins' },
      { contract_label: null, instruction: 'Buy NO on KXNCAAFGAME-26NOV21MIAND-ND. Pays $1 if Miami (FL) wins' },
    ]);
  });

  test('writes the answer of a yes-or-no token of venue_b in capitals, after its question', async () => {
    await putPair(db.sql, college);
    await nameContract(db.sql, 'venue_b', token, 'Yes', 'Will Notre Dame win on 2026-11-21?');
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    expect((await legs(1))[0]).toMatchObject({
      contract_label: 'Will Notre Dame win on 2026-11-21? Yes',
      instruction: 'Buy YES on "Will Notre Dame win on 2026-11-21?" (token 28700130…9563). Pays $1 if Notre Dame wins',
    });
  });

  test("keeps the venues' names from the time of the state after a later listing", async () => {
    await putPair(db.sql, college);
    await nameContract(db.sql, 'venue_a', 'KXNCAAFGAME-26NOV21MIAND-ND', 'Notre Dame');
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    await db.sql`truncate venue.events cascade`;
    expect((await legs(1))[1]?.instruction).toContain('(Notre Dame)');
  });

  test('cuts a long name and keeps the payoff condition', async () => {
    await putPair(db.sql, {
      ...college,
      outcomes: college.outcomes?.map((one) => ({ ...one, name: 'N'.repeat(300) })),
    });
    await nameContract(db.sql, 'venue_a', 'KXNCAAFGAME-26NOV21MIAND-ND', 'L'.repeat(500));
    await nameContract(db.sql, 'venue_b', token, 'L'.repeat(500), 'Q'.repeat(500));
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    for (const { instruction } of await legs(1)) {
      expect(instruction).toMatch(/\. Pays \$1 if N{79}… wins$/);
      expect(instruction.length).toBeLessThan(400);
    }
  });

  test('adds no opportunity state when a flush does not change it', async () => {
    await putPair(db.sql, college);
    await nameContract(db.sql, 'venue_a', 'KXNCAAFGAME-26NOV21MIAND-ND', 'Notre Dame');
    await flush(db.sql, 1, [{ at, opp: bothSides() }]);
    await flush(db.sql, 1, [{ at: '2026-11-20T11:57:31.000Z', opp: bothSides(), ask: 451_000 }]);
    const [row] = await db.sql<{ count: number }[]>`select count(*)::integer as count from arb.opportunity_states`;
    expect(row?.count).toBe(1);
  });
});

describe('the payoff condition of an outcome', () => {
  test.each([
    ['moneyline', 'miami', 'Miami (FL)', {}, 'if Miami (FL) wins'],
    ['moneyline', 'draw', 'Draw', {}, 'if it is a draw'],
    ['advance', 'kings', 'Los Angeles Kings', {}, 'if Los Angeles Kings wins the series'],
    ['spread', 'texas-cover', 'Texas -2.5', { line: -2.5 }, 'if Texas -2.5 covers'],
    ['total', 'over', 'Over 8.5', { line: 8.5 }, 'if the total is over 8.5'],
    ['total', 'under', 'Under 220', { line: 220 }, 'if the total is under 220'],
    // A total without a line names its outcome.
    ['total', 'under', 'Under 8.5', { line: null }, 'on "Under 8.5" in "The title"'],
    // The name of the outcome does not contain the team of the total.
    ['team_total', 'under', 'Under 0.5', { line: 0.5 }, 'on "Under 0.5" in "The title"'],
    ['outright', 'boston-bruins', 'Boston Bruins', {}, 'on "Boston Bruins" in "The title"'],
    ['crypto_above', 'high_60000', 'Above $60,000', {}, 'on "Above $60,000" in "The title"'],
    ['weather_high', 'below_81_f', '81°F or below', {}, 'on "81°F or below" in "The title"'],
    ['fed_decision', 'cut_25', 'Cut 25 bp', {}, 'on "Cut 25 bp" in "The title"'],
    ['econ_print', 'le_2.9', '2.9% or less', {}, 'on "2.9% or less" in "The title"'],
    ['cb_decision', 'no_change', 'No change', {}, 'on "No change" in "The title"'],
    // The outcome has left the pair, so only its key is known.
    ['moneyline', 'gone', null, {}, 'if gone wins'],
  ])(
    'is written in plain words for market type %s and outcome %s',
    async (market_type, key, name, change, expected) => {
      await putPair(db.sql, { n: 1, market_type, title: 'The title', ...change });
      const [row] = await db.sql<{ words: string }[]>`
      select arb.pays_when(p, ${key}, ${name}) as words from catalog.pairs p`;
      expect(row?.words).toBe(expected);
    },
  );
});

describe('the delay of an order on a leg', () => {
  test.each([
    ['1', { match_delay_seconds: 1, match_delay_ms: 1000 }],
    ['0.15', { match_delay_seconds: 0.15, match_delay_ms: 150 }],
  ])('is in milliseconds too: %s s', async (delay, expected) => {
    await putPair(db.sql, college);
    const opp = bothSides();
    const delayed = opp.legs.map((leg) => (leg.venue === 'venue_b' ? { ...leg, delay } : leg));
    await flush(db.sql, 1, [{ at, opp: { ...opp, legs: delayed as unknown as typeof opp.legs } }]);
    const [withDelay, without] = await legs(1);
    expect(withDelay).toMatchObject(expected);
    expect(Object.keys(without ?? {}).filter((field) => field.startsWith('match_delay'))).toEqual([]);
  });
});
