import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ruleList } from '../../functions/api/contract/rules.ts';
import { putPair } from './support/catalog.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';
import { putRules, ruleIdOf } from './support/rules.ts';

let world: ApiFixture;
let key: string;

const soccer = { terms_a: 'waits, never played: fair_price', terms_b: 'waits, never played: split' };
const leagues = ['Serie A', 'Serie B', 'Ligue 1'];
const hostile = `<img src=x onerror=alert(1)>\u202e"${'x'.repeat(10_000)}`;

beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  await putRules(sql, [
    { agreeing: 400 },
    { family: 'total', agreeing: 12 },
    { competition: 'NBA', agreeing: 0 },
    { competition: '', family: 'outright', agreeing: 299 },
    {
      competition: 'NHL',
      agreeing: 500,
      divergences: [
        { occasion: 'older', settled_at: '2026-02-08T23:30:00Z' },
        { occasion: 'newer', settled_at: '2026-02-28T12:00:00Z', title: 'A "title"', text_a: hostile, text_b: null },
      ],
    },
    ...leagues.map((competition) => ({ ...soccer, competition, agreeing: 110, text_form: 'goals in 90 minutes' })),
  ]);
  key = await world.key();
});
afterAll(() => world.close());

type Body = ReturnType<typeof ruleList.parse>;
async function list(query = ''): Promise<Body> {
  const answer = await world.get(`/v2/rules${query}`, key);
  expect(answer.status).toBe(200);
  return ruleList.parse(await answer.json());
}
const named = async (query: string) =>
  (await list(query)).rules.map((rule) => `${rule.competition} ${rule.family} ${rule.state}`);

describe('GET /v2/rules', () => {
  test('returns the record of a rule, its bound in percent, its state and the times of its occasions', async () => {
    const { rules, limit_pct, confidence_pct } = await list('?competition=nfl&family=moneyline');
    expect([limit_pct, confidence_pct]).toEqual([1, 95]);
    expect(rules).toEqual([
      {
        rule_id: 'moneyline / NFL / venue_a: 48 h, never played: fair_price / venue_b: waits, never played: split',
        family: 'moneyline',
        competition: 'NFL',
        agreeing: 400,
        diverging: 0,
        bound_pct: 0.7461,
        state: 'confirmed',
        first_at: '2025-10-01T00:00:00.000Z',
        last_at: '2026-11-04T00:00:00.000Z',
        pool: null,
      },
    ]);
  });

  test('returns null for the times of a rule without an occasion, and for the competition of a rule without one', async () => {
    const { rules } = await list('?competition=NBA');
    expect(rules).toMatchObject([{ agreeing: 0, bound_pct: 100, state: 'unconfirmed', first_at: null, last_at: null }]);
    const outright = (await list('?family=outright')).rules;
    expect(outright).toMatchObject([{ competition: null, bound_pct: 0.9969, state: 'confirmed' }]);
  });

  test('sorts by competition and family, rules without a competition last', async () => {
    expect(await named('?family=moneyline,total,outright')).toEqual([
      'Ligue 1 moneyline pooled',
      'NBA moneyline unconfirmed',
      'NFL moneyline confirmed',
      'NFL total unconfirmed',
      'NHL moneyline withdrawn',
      'Serie A moneyline pooled',
      'Serie B moneyline pooled',
      'null outright confirmed',
    ]);
  });

  test('states the pool of a rule with its members, its occasions and its bound', async () => {
    const { rules } = await list('?state=pooled&limit=1');
    expect(rules[0]).toMatchObject({ agreeing: 110, bound_pct: 2.6866, state: 'pooled' });
    expect(rules[0]?.pool).toEqual({
      count: 3,
      members: ['Ligue 1', 'Serie A', 'Serie B'].map((competition) => ruleIdOf({ ...soccer, competition })),
      agreeing: 330,
      bound_pct: 0.9037,
    });
  });

  test('filters by several families and states, and returns an empty list for a competition that no rule has', async () => {
    expect(await named('?state=withdrawn,confirmed&family=moneyline')).toEqual([
      'NFL moneyline confirmed',
      'NHL moneyline withdrawn',
    ]);
    expect(await list('?competition=curling')).toMatchObject({ count: 0, has_more: false, next_cursor: null });
  });

  test('names the competition as /v2/markets does, and filters by that name or by the code in the rule_id', async () => {
    await putRules(world.db.sql, [{ family: 'advance', competition: 'la-liga', name: 'La Liga', agreeing: 1 }]);
    for (const competition of ['La%20Liga', 'la+liga', 'LA-LIGA']) {
      expect(await named(`?competition=${competition}`)).toEqual(['La Liga advance unconfirmed']);
    }
  });

  test('pages with a cursor through every rule once, and returns 422 for a cursor of other filters', async () => {
    const seen: string[] = [];
    let cursor = '';
    let pages = 0;
    do {
      const page = await list(`?family=moneyline&limit=2${cursor}`);
      expect(page.count).toBe(page.rules.length);
      expect(page.has_more).toBe(page.next_cursor !== null);
      seen.push(...page.rules.map((rule) => rule.rule_id));
      cursor = page.next_cursor ? `&cursor=${page.next_cursor}` : '';
      pages++;
      if (cursor !== '' && pages === 1) {
        expect((await world.get(`/v2/rules?limit=2${cursor}`, key)).status).toBe(422);
      }
    } while (cursor !== '');
    expect(seen).toEqual((await list('?family=moneyline')).rules.map((rule) => rule.rule_id));
    expect([new Set(seen).size, pages]).toEqual([6, 3]);
  });

  test('adds both texts and both payouts of each divergence, newest first, with include=divergences only', async () => {
    const [without] = (await list('?state=withdrawn')).rules;
    expect(without).not.toHaveProperty('divergences');
    const [rule] = (await list('?state=withdrawn&include=divergences')).rules;
    expect(rule).toMatchObject({ agreeing: 500, diverging: 2, divergences_count: 2 });
    expect(rule?.divergences?.map((divergence) => divergence.occasion)).toEqual(['newer', 'older']);
    expect(rule?.divergences?.[1]).toEqual({
      occasion: 'older',
      source: 'backtest',
      settled_at: '2026-02-08T23:30:00.000Z',
      venue_a: {
        event: 'KXEVENT-older',
        title: 'Chicago Bears vs Green Bay Packers',
        text: 'If Chicago wins, Yes.',
        paid: [
          { outcome: 'chicago-bears', usd: 0.26 },
          { outcome: 'green-bay-packers', usd: 0.74 },
        ],
      },
      venue_b: {
        event: 'event-older',
        title: 'Chicago Bears vs Green Bay Packers?',
        text: 'A tie resolves 50-50.',
        paid: [
          { outcome: 'chicago-bears', usd: 1 },
          { outcome: 'green-bay-packers', usd: 0 },
        ],
      },
    });
    expect((await list('?competition=NFL&include=divergences')).rules[0]).toMatchObject({
      divergences_count: 0,
      divergences: [],
    });
  });

  test('cuts a long text of a venue after 6,000 characters and keeps its markup as text', async () => {
    const [rule] = (await list('?state=withdrawn&include=divergences')).rules;
    const { venue_a, venue_b } = rule?.divergences?.[0] ?? {};
    expect(venue_a?.text).toBe(`${hostile.slice(0, 5_999)}…`);
    expect([venue_a?.title, venue_b?.text]).toEqual(['A "title"', null]);
  });

  test('returns at most 20 divergences of a rule with the count of all, and at most 50 rules with them', async () => {
    const { sql } = world.db;
    const divergences = Array.from({ length: 23 }, (_, n) => ({
      occasion: `match ${n}`,
      settled_at: new Date(Date.UTC(2026, 3, 1 + n)).toISOString(),
    }));
    await putRules(sql, [{ family: 'advance', divergences }]);
    await putRules(
      sql,
      Array.from({ length: 51 }, (_, n) => ({ family: 'weather_low', competition: `Town ${n}` })),
    );
    const [rule] = (await list('?family=advance&include=divergences')).rules;
    expect([rule?.divergences_count, rule?.divergences?.length]).toEqual([23, 20]);
    expect(rule?.divergences?.[0]?.occasion).toBe('match 22');
    expect(await list('?family=weather_low&include=divergences&limit=500')).toMatchObject({
      count: 50,
      has_more: true,
    });
    expect(await list('?family=weather_low&limit=500')).toMatchObject({ count: 51, has_more: false });
  });

  test('lists a divergence that this service saw live, with the texts of the pair', async () => {
    const { sql } = world.db;
    const [id = ''] = await putRules(sql, [{ family: 'spread', competition: 'WNBA' }]);
    const paid = [{ outcome: 'home', venue_a: '1', venue_b: '0.5' }];
    const settled_at = '2026-11-18T03:00:00Z';
    const result = { verdict: 'diverge', venues_agree: false, void: false, winners: ['home'], settled_at, paid };
    await putPair(sql, { n: 60, status: 'settled', result });
    await sql`update catalog.pairs set rule_id = ${id} where slug = 'pair-60'`;
    await sql`select catalog.update_rule_parity()`;
    const [rule] = (await list('?competition=WNBA&include=divergences')).rules;
    expect(rule).toMatchObject({ diverging: 1, state: 'withdrawn', divergences_count: 1 });
    expect(rule?.divergences).toMatchObject([
      {
        source: 'live',
        settled_at: '2026-11-18T03:00:00.000Z',
        venue_a: { title: 'Title 60', text: 'Rules "A"\nline two', paid: [{ outcome: 'home', usd: 1 }] },
        venue_b: { text: null, paid: [{ outcome: 'home', usd: 0.5 }] },
      },
    ]);
  });

  test('has an ETag that changes with the record of a rule and with a further divergence', async () => {
    const { sql } = world.db;
    const [id = ''] = await putRules(sql, [{ family: 'team_total', competition: 'MLB', agreeing: 3 }]);
    const etag = async () => {
      const answer = await world.get('/v2/rules?competition=MLB&include=divergences', key);
      return answer.headers.get('ETag') ?? '';
    };
    const first = await etag();
    expect(await etag()).toBe(first);
    const again = await world.get('/v2/rules', key, { 'If-None-Match': first });
    expect([again.status, await again.text()]).toEqual([304, '']);
    await sql`
      insert into catalog.backtest_occasions (rule_id, occasion, diverged, odd, pairs, settled_at)
      values (${id}, 'one more', false, false, 1, '2026-05-05Z')`;
    await sql`select catalog.update_rule_parity()`;
    const second = await etag();
    expect(second).not.toBe(first);
    await sql`
      insert into catalog.backtest_divergences (rule_id, pair_id, occasion, settled_at, listing_a, listing_b, paid)
      values (${id}, gen_random_uuid(), 'one more', '2026-05-05Z', '{}', '{}', '[]')`;
    expect(await etag()).not.toBe(second);
  });
});
