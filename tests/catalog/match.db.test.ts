import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, futureA, futureB, gameA, gameB, milestoneOf, NOW, yesNo } from './fixtures.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/** Guarantee: each look-alike that is known to cause wrong pairs is rejected with its own code. */

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

const putA = (events: unknown[], parserContext = context) =>
  putListings(
    database.sql,
    'venue_a',
    events.map((event) => listedA(event, parserContext)),
  );
const putB = (events: unknown[]) =>
  putListings(
    database.sql,
    'venue_b',
    events.map((event) => listedB(event, context)),
  );
const pairs = () =>
  database.sql<{ event_a: string; event_b: string; band: string; stage: string; title: string; legs: string[] }[]>`
    select p.event_a, p.event_b, p.band, p.stage, p.title,
           array_agg(o.key || ' ' || o.contract_a || ' ' || coalesce(o.side_a, '') || ' ' || o.contract_b order by o.ordinal) as legs
    from catalog.pairs p join catalog.outcomes o using (pair_id)
    where p.withdrawn_at is null
    group by p.pair_id order by p.event_a`;
const codes = async () =>
  (await database.sql<{ code: string }[]>`select distinct code from catalog.rejections order by code`).map(
    (row) => row.code,
  );

const HOU = { code: 'HOU', label: 'Houston' };
const SD = { code: 'SD', label: 'San Diego' };
const houston = gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [HOU, SD]);

describe('the orientation of a pair', () => {
  it('follows the names of the outcomes, in any order', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], {
        id: 'x',
        start: '2026-08-10 00:20:00+00',
      }),
    ]);
    expect(await runMatchPass(database.sql)).toMatchObject({ pairs: 1, created: 1 });
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'houston-astros KXMLBGAME-26AUG092020HOUSD-HOU yes x:1',
      'san-diego-padres KXMLBGAME-26AUG092020HOUSD-SD yes x:0',
    ]);
    expect(pair).toMatchObject({ band: 'HIGH', stage: 'catalog', title: 'Houston Astros vs San Diego Padres' });
  });

  it('takes the text of a later contract where the first one has none', async () => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'x' })]);
    const first = `${houston.event_ticker}-HOU`;
    await database.sql`update venue.markets set rules = nullif('Of ' || market_id, ${`Of ${first}`}) where venue = 'venue_a'`;
    await runMatchPass(database.sql);
    const [pair] = await database.sql`select text_a from catalog.pairs`;
    expect(pair).toEqual({ text_a: `Of ${houston.event_ticker}-SD` });
  });

  it('uses NO of the other team when venue_a lists only that market', async () => {
    await putA([gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [SD])]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'x' })]);
    await runMatchPass(database.sql);
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'houston-astros KXMLBGAME-26AUG092020HOUSD-SD no x:0',
      'san-diego-padres KXMLBGAME-26AUG092020HOUSD-SD yes x:1',
    ]);
  });

  it('uses YES of each of three soccer markets, also when YES is the second outcome', async () => {
    await putA([
      gameA('KXEPLGAME-26AUG22MCIARS', 'Manchester City vs Arsenal', [
        { code: 'ARS', label: 'Arsenal' },
        { code: 'TIE', label: 'Tie' },
        { code: 'MCI', label: 'Manchester City' },
      ]),
    ]);
    await putB([
      {
        slug: 'epl-mac-ars-2026-08-22',
        title: 'Manchester City FC vs. Arsenal FC',
        markets: [
          yesNo('m-ars', 'Arsenal FC', 1, 'moneyline'),
          yesNo('m-draw', 'Draw (Manchester City FC vs. Arsenal FC)', 0, 'moneyline'),
          yesNo('m-mac', 'Manchester City FC', 0, 'moneyline'),
        ],
      },
    ]);
    await runMatchPass(database.sql);
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'manchester-city KXEPLGAME-26AUG22MCIARS-MCI yes m-mac:0',
      'arsenal KXEPLGAME-26AUG22MCIARS-ARS yes m-ars:1',
      'draw KXEPLGAME-26AUG22MCIARS-TIE yes m-draw:0',
    ]);
  });
});

describe('a match pass over games of the same teams', () => {
  it('pairs both games of a doubleheader by their starts', async () => {
    await putA([
      gameA('KXMLBGAME-26AUG091310HOUSDG1', 'Houston vs San Diego', [HOU, SD]),
      gameA('KXMLBGAME-26AUG091910HOUSDG2', 'Houston vs San Diego', [HOU, SD]),
    ]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09-493', ['Astros', 'Padres'], { start: '2026-08-09 23:10:00+00' }),
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-09 17:10:00+00' }),
    ]);
    await runMatchPass(database.sql);
    expect((await pairs()).map((pair) => [pair.event_a, pair.event_b])).toEqual([
      ['KXMLBGAME-26AUG091310HOUSDG1', 'mlb-hou-sd-2026-08-09'],
      ['KXMLBGAME-26AUG091910HOUSDG2', 'mlb-hou-sd-2026-08-09-493'],
    ]);
    expect(await codes()).toEqual(['other_start']);
  });

  it('does not pair the second game with the first when the first is not listed', async () => {
    await putA([gameA('KXMLBGAME-26AUG091910HOUSDG2', 'Houston vs San Diego', [HOU, SD])]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-09 17:10:00+00' })]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_start']);
  });

  it('rejects both games of a doubleheader without starts', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']),
      gameB('mlb-hou-sd-2026-08-09-493', ['Astros', 'Padres']),
    ]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['ambiguous']);
  });

  it('rejects the game of the next day in a sport where teams play on consecutive days', async () => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-10', ['Astros', 'Padres'])]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['rematch_next_day']);
  });

  it('accepts the UTC date of a night game in a sport without rematches, and any date with an equal start', async () => {
    await putA([
      gameA('KXNFLGAME-26SEP10SFLAR', 'San Francisco vs Los Angeles R', [
        { code: 'SF', label: 'San Francisco' },
        { code: 'LAR', label: 'Los Angeles R' },
      ]),
    ]);
    await putA([houston]);
    await putB([
      gameB('nfl-sf-la-2026-09-11', ['Rams', '49ers']),
      gameB('mlb-hou-sd-2026-08-10', ['Astros', 'Padres'], { start: '2026-08-10 00:20:00+00' }),
    ]);
    await runMatchPass(database.sql);
    expect((await pairs()).map((pair) => pair.event_b)).toEqual(['mlb-hou-sd-2026-08-10', 'nfl-sf-la-2026-09-11']);
  });

  it('takes the start from a milestone and pairs a game that both venues moved', async () => {
    await putA([houston], milestoneOf('KXMLBGAME-26AUG092020HOUSD', '2026-08-11T17:00:00Z'));
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-11 17:00:00+00' })]);
    await runMatchPass(database.sql);
    const [row] = await database.sql`select start_time, has_scheduled_start as scheduled from catalog.pairs`;
    expect(row).toEqual({ start_time: new Date('2026-08-11T17:00:00Z'), scheduled: true });
  });
});

describe('a match pass over other questions with the same names', () => {
  it('does not pair a preseason game with a game of the season', async () => {
    const sides = [
      { code: 'DET', label: 'Detroit' },
      { code: 'CIN', label: 'Cincinnati' },
    ];
    await putA([
      gameA('KXNFLGAME-26SEP03DETCIN', 'Detroit vs Cincinnati', sides, { competition: 'Pro Football Preseason' }),
    ]);
    await putB([gameB('nfl-det-cin-2026-09-03', ['Lions', 'Bengals'])]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_stage']);
  });

  it('excludes "More Markets" copies as duplicates', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'main' }),
      gameB('mlb-hou-sd-2026-08-09-more-markets', ['Astros', 'Padres'], { id: 'more' }),
    ]);
    await runMatchPass(database.sql);
    expect((await pairs()).map((pair) => pair.event_b)).toEqual(['mlb-hou-sd-2026-08-09']);
    const reasons = await database.sql`select question_id, reason from catalog.unpaired_questions`;
    expect([...reasons]).toEqual([
      { question_id: 'venue_b:mlb-hou-sd-2026-08-09-more-markets', reason: 'duplicate_listing' },
    ]);
  });

  it('pairs a conference title with itself, not with a division or the championship', async () => {
    const west = [
      { code: 'LAC', label: 'Los Angeles C' },
      { code: 'KC', label: 'Kansas City' },
      { code: 'LV', label: 'Las Vegas' },
      { code: 'DEN', label: 'Denver' },
    ];
    const names = ['Los Angeles Chargers', 'Kansas City Chiefs', 'Las Vegas Raiders', 'Denver Broncos'];
    await putA([
      futureA('KXNFLAFCWEST-27', 'AFC West Division Winner', west),
      futureA('KXSB-27', '2027 Pro Football Champion', west),
    ]);
    await putB([futureB('pro-football-2027-afc-champion', 'Pro Football: 2027 AFC Champion', names)]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_award']);
    await putA([futureA('KXNFLAFCCHAMP-27', 'AFC Championship Winner', west)]);
    await runMatchPass(database.sql);
    expect((await pairs()).map((pair) => pair.event_a)).toEqual(['KXNFLAFCCHAMP-27']);
  });

  it('lists only the runners of both venues and records the omitted ones', async () => {
    await putA([
      futureA('KXNFLMVP-27', 'MVP Winner?', [
        { code: 'JALL', label: 'Josh Allen' },
        { code: 'JBUR', label: 'Joe Burrow' },
      ]),
    ]);
    await putB([futureB('nfl-mvp-2026-27', 'NFL MVP 2026-27', ['Josh Allen', 'Patrick Mahomes', 'Player A', 'Other'])]);
    await runMatchPass(database.sql);
    const [pair] = await pairs();
    expect(pair?.legs).toEqual(['josh-allen KXNFLMVP-27-JALL yes nfl-mvp-2026-27-josh-allen:0']);
    const [row] = await database.sql`select omitted_outcomes as factors from catalog.pairs`;
    expect(row?.factors).toEqual({
      left_out_a: [{ name: 'Joe Burrow', why: 'not_on_the_other_venue' }],
      left_out_b: [
        { name: 'Other', why: 'placeholder' },
        { name: 'Player A', why: 'placeholder' },
        { name: 'Patrick Mahomes', why: 'not_on_the_other_venue' },
      ],
    });
    const risks = await database.sql`select event, severity from catalog.pair_risks where event = 'partition_gap'`;
    expect([...risks]).toEqual([{ event: 'partition_gap', severity: 'high' }]);
  });

  it('rejects a game when only one venue lists the draw', async () => {
    await putA([
      gameA('KXEPLGAME-26AUG22MCIARS', 'Manchester City vs Arsenal', [
        { code: 'ARS', label: 'Arsenal' },
        { code: 'TIE', label: 'Tie' },
        { code: 'MCI', label: 'Manchester City' },
      ]),
    ]);
    await putB([
      {
        slug: 'epl-mac-ars-2026-08-22',
        title: 'Manchester City vs. Arsenal',
        markets: [yesNo('m-ars', 'Arsenal', 0, 'moneyline'), yesNo('m-mac', 'Manchester City', 0, 'moneyline')],
      },
    ]);
    await runMatchPass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['legs_differ']);
  });
});

describe('the rules of a pair', () => {
  it('become risks of medium severity where they differ, and keep the risk gate open', async () => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'])]);
    await runMatchPass(database.sql);
    const risks = await database.sql`select event, severity from catalog.pair_risks order by event`;
    expect([...risks]).toEqual([
      { event: 'cancel_payout', severity: 'medium' },
      { event: 'postponement_window', severity: 'medium' },
      { event: 'void_rule', severity: 'medium' },
    ]);
    const [gate] = await database.sql`select band_ok, parity_ok, risk_ok, reason from catalog.match_gates`;
    expect(gate).toEqual({ band_ok: true, parity_ok: false, risk_ok: true, reason: 'parity.unconfirmed' });
  });

  it.each([
    ['contain an unfilled template', 'The game between [Team A] and [Team B] decides.', 'unfilled_template'],
    [
      'name another day than the listing',
      'In the upcoming game, scheduled for August 20 at 1:00PM ET: the winner decides.',
      'rules_contradict_fields',
    ],
  ])('keep the pair in REVIEW at most when they %s', async (_name, text, event) => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { text })]);
    await runMatchPass(database.sql);
    const [pair] = await pairs();
    expect(pair).toMatchObject({ band: 'REVIEW', stage: 'candidate' });
    const [risk] = await database.sql`select severity from catalog.pair_risks where event = ${event}`;
    expect(risk?.severity).toBe('high');
  });
});

describe('a game with the start of another game', () => {
  const gameOn = (day: string, codes: string, at: string) =>
    gameA(`KXMLBGAME-26AUG${day}${at}HOUSD${codes}`, 'Houston vs San Diego', [HOU, SD]);
  const atOtherStart = (text: string | undefined, day = '09') =>
    gameB(`mlb-hou-sd-2026-08-${day}`, ['San Diego Padres', 'Houston Astros'], {
      id: 'x',
      start: '2026-08-10 23:40:00+00',
      ...(text === undefined ? {} : { text }),
    });
  const paired = async () => (await pairs()).map((pair) => `${pair.event_a} ${pair.event_b}`);
  const scheduledText = (day: string) =>
    `In the upcoming MLB game, scheduled for ${day} at 7:40PM ET:\nIf the Astros win, the market will resolve to "Astros".\nIf the Padres win, the market will resolve to "Padres".`;

  it('does not pair with it when its text names another day', async () => {
    await putA([gameOn('10', '', '1940')]);
    await putB([atOtherStart(scheduledText('August 9'))]);
    await runMatchPass(database.sql);
    expect([await paired(), await codes()]).toEqual([[], ['other_date']]);
  });

  it('does not pair with it when no text names a day and the other venue lists both days', async () => {
    await putA([gameOn('09', '', '2020'), gameOn('10', '', '1940')]);
    await putB([atOtherStart(undefined)]);
    await runMatchPass(database.sql);
    expect(await paired()).not.toContain('KXMLBGAME-26AUG101940HOUSD mlb-hou-sd-2026-08-09');
  });

  it.each([
    ['its slug has the UTC date and its text the New York date', '11', scheduledText('August 10')],
    ['its slug has the UTC date and it has no text', '11', undefined],
    ['its slug and its text have the New York date', '10', scheduledText('August 10')],
  ])('pairs with it when %s', async (_, day, text) => {
    await putA([gameOn('10', '', '1940'), gameOn('11', '', '1940')]);
    await putB([atOtherStart(text, day)]);
    await runMatchPass(database.sql);
    expect(await paired()).toEqual([`KXMLBGAME-26AUG101940HOUSD mlb-hou-sd-2026-08-${day}`]);
  });
});
