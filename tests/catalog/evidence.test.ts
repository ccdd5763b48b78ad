import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventB, type ListingA, type ListingB, pairListings, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: a game of a league that the registry does not hold becomes a candidate if both names,
 * the date and the start agree, and each listing is strictly the best of the other. It is never
 * published.
 */

const NOW = '2026-08-01T12:00:00Z';
const DAY = '2026-08-09';
let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(() => database.close());

const gameA = (codes: string, title: string, sides: string[], start?: string, day = DAY): ListingA =>
  winnerA('KXUNKNOWNLIGAGAME', day, codes, title, sides, start === undefined ? {} : { start });

const VIKINGUR = gameA(
  'VIKVAL',
  'Víkingur Reykjavík vs Valur',
  ['VIK Víkingur Reykjavík', 'VAL Valur'],
  `${DAY}T19:15:00Z`,
);
const onB = (slug: string, names: [string, string], start?: string): ListingB => {
  const event = winnerB(slug, names);
  return start === undefined ? event : { ...event, startTime: start };
};

const match = (a: ListingA[], b: ListingB[]) => pairListings(database, NOW, a, b);

async function stages(): Promise<unknown[]> {
  const rows = await database.sql<{ stage: string }[]>`
    select p.stage, p.band, g.reason,
           (select s ->> 'signal' from jsonb_array_elements(j.signals) s where s ->> 'signal' like 'unconfirmed%') as signal
    from catalog.pairs p
    join catalog.assessments j using (assessment_id)
    join catalog.match_gates g using (pair_id)
    where p.withdrawn_at is null`;
  return [...rows];
}

describe('a game of an unknown league', () => {
  it('is a candidate whose legs follow the names, in any order', async () => {
    const pairs = await match([VIKINGUR], [onB(`xyz-val-vik-${DAY}`, ['Valur', 'Vikingur'], `${DAY}T19:15:00Z`)]);
    expect(pairs).toEqual([
      {
        a: 'KXUNKNOWNLIGAGAME-26AUG09VIKVAL',
        b: `xyz-val-vik-${DAY}`,
        legs: ['vikingur-reykjavik: VIK yes = Vikingur', 'valur: VAL yes = Valur'],
      },
    ]);
    expect(await stages()).toEqual([
      {
        stage: 'candidate',
        band: 'REVIEW',
        reason: expect.stringContaining('band.candidate'),
        signal: 'unconfirmed_league',
      },
    ]);
  });

  it('meets no game of one equal club, of another day or of another start', async () => {
    expect(await match([VIKINGUR], [onB(`xyz-val-kr-${DAY}`, ['Valur', 'KR'])])).toEqual([]);
    expect(await match([VIKINGUR], [onB('xyz-val-vik-2026-08-11', ['Valur', 'Vikingur'])])).toEqual([]);
    expect(await match([VIKINGUR], [onB(`xyz-val-vik-${DAY}`, ['Valur', 'Vikingur'], `${DAY}T05:00:00Z`)])).toEqual([]);
  });

  it('has no pair when two listings fit equally well', async () => {
    const twice = [`xyz-val-vik-${DAY}`, `abc-val-vik-${DAY}`].map((slug) => onB(slug, ['Valur', 'Vikingur']));
    expect(await match([VIKINGUR], twice)).toEqual([]);
  });

  it('does not confuse sides whose names are alike', async () => {
    const derby = gameA('UNIUNT', 'Unidos Norte vs Unidos Sur', ['UNI Unidos Norte', 'UNT Unidos Sur']);
    expect(await match([derby], [onB(`xyz-us-un-${DAY}`, ['Unidos Sur', 'Unidos Norte'])])).toEqual([
      expect.objectContaining({ legs: ['unidos-norte: UNI yes = Unidos Norte', 'unidos-sur: UNT yes = Unidos Sur'] }),
    ]);
    expect(await match([derby], [onB(`xyz-us-un-${DAY}`, ['Unidos', 'Unidos FC'])])).toEqual([]);
  });

  it('does not pair a women’s game with the men’s game of the same clubs without an equal start', async () => {
    const women = { ...onB(`xyz-val-vik-${DAY}`, ['Valur', 'Vikingur']), tags: [{ slug: 'womens-football' }] };
    expect(await match([VIKINGUR], [women])).toEqual([]);
  });
});

describe('hostile names', () => {
  it.each([
    ['10,000 characters', 'V'.repeat(10_000)],
    ['markup', '<b>Valur</b><script>'],
    ['bidirectional marks', '\u202eruλaV'],
    ['Cyrillic letters that look like Latin ones', 'Vаlur'],
  ])('with %s make no pair and stop nothing', async (_name, name) => {
    const hostile = gameA('XXXYYY', `${name} vs KR`, [`XXX ${name}`, 'YYY KR']);
    const pairs = await match(
      [hostile, VIKINGUR],
      [onB(`xyz-xxx-kr-${DAY}`, ['Breidablik', 'KR']), onB(`xyz-val-vik-${DAY}`, ['Valur', 'Vikingur'])],
    );
    expect(pairs.map((pair) => pair.b)).toEqual([`xyz-val-vik-${DAY}`]);
  });
});

describe('a list of runners that no registry decides', () => {
  const names = ['Fabiano Caruana', 'Anish Giri', 'Wei Yi', 'Javokhir Sindarov'];
  const raceA = (title: string, runners: string[]): ListingA => ({
    start: null,
    event: {
      event_ticker: 'KXCHESSTITLE-27',
      series_ticker: 'KXCHESSTITLE',
      title,
      mutually_exclusive: true,
      markets: runners.map((name, at) => ({
        ticker: `KXCHESSTITLE-27-R${at}`,
        yes_sub_title: name,
        close_time: '2027-05-01T00:00:00Z',
      })),
    },
  });
  const raceB = (title: string, runners: string[]): ListingB => ({
    ...eventB(
      'chess-title-2027',
      title,
      runners.map((group) => ({ q: `Will ${group} win?`, group, o: ['Yes', 'No'] })),
    ),
    negRisk: true,
    endDate: '2027-05-01T00:00:00Z',
  });

  it('is a candidate from three equal full names in one season', async () => {
    const pairs = await match(
      [raceA('Chess Candidates winner 2027', names)],
      [raceB('Chess Candidates 2027: who will win?', [...names.slice(1), 'Gukesh Dommaraju'])],
    );
    expect(pairs.map((pair) => pair.legs.length)).toEqual([3]);
    expect(await stages()).toEqual([expect.objectContaining({ stage: 'candidate', signal: 'unconfirmed_league' })]);
  });

  it.each([
    ['two equal names', 'Chess Candidates winner 2027', names.slice(2)],
    ['another season', 'Chess Candidates winner 2028', names],
    ['another place', 'Chess Candidates 2027: top 3', names],
    ['another contest', 'Chess Candidates 2027: last place', names],
  ])('has no pair with %s', async (_name, title, runners) => {
    expect(
      await match(
        [raceA('Chess Candidates winner 2027', names)],
        [raceB(title, [...runners, 'Magnus Carlsen', 'Hikaru Nakamura'])],
      ),
    ).toEqual([]);
  });
});
