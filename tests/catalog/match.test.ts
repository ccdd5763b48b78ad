import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { context, futureA, futureB, gameA, gameB, milestoneOf, NOW, yesNo } from './fixtures.ts';
import { listedA, listedB, pass, put } from './listings.ts';

/** Guarantee: each trap that has made others pair wrongly is told apart here, and refused with its own code. */

let database: TestDatabase;
beforeEach(async () => {
  database = await createDatabase();
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterEach(() => database.close());

const putA = (events: unknown[], given = context) =>
  put(
    database.sql,
    'venue_a',
    events.map((event) => listedA(event, given)),
  );
const putB = (events: unknown[]) =>
  put(
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
  it('follows names, in any order of the outcomes', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], {
        id: 'x',
        start: '2026-08-10 00:20:00+00',
      }),
    ]);
    expect(await pass(database.sql)).toMatchObject({ pairs: 1, created: 1 });
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'houston-astros KXMLBGAME-26AUG092020HOUSD-HOU yes x:1',
      'san-diego-padres KXMLBGAME-26AUG092020HOUSD-SD yes x:0',
    ]);
    expect(pair).toMatchObject({ band: 'HIGH', stage: 'catalog', title: 'Houston Astros vs San Diego Padres' });
  });

  it('uses NO of the only market that venue_a lists, the one for the other team', async () => {
    await putA([gameA('KXMLBGAME-26AUG092020HOUSD', 'Houston vs San Diego', [SD])]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'x' })]);
    await pass(database.sql);
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'houston-astros KXMLBGAME-26AUG092020HOUSD-SD no x:0',
      'san-diego-padres KXMLBGAME-26AUG092020HOUSD-SD yes x:1',
    ]);
  });

  it('finds YES of each of three soccer markets, also where it is outcome 1', async () => {
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
    await pass(database.sql);
    const [pair] = await pairs();
    expect(pair?.legs).toEqual([
      'manchester-city KXEPLGAME-26AUG22MCIARS-MCI yes m-mac:0',
      'arsenal KXEPLGAME-26AUG22MCIARS-ARS yes m-ars:1',
      'draw KXEPLGAME-26AUG22MCIARS-TIE yes m-draw:0',
    ]);
  });
});

describe('the same teams at another time', () => {
  it('keeps both games of a doubleheader apart by their starts', async () => {
    await putA([
      gameA('KXMLBGAME-26AUG091310HOUSDG1', 'Houston vs San Diego', [HOU, SD]),
      gameA('KXMLBGAME-26AUG091910HOUSDG2', 'Houston vs San Diego', [HOU, SD]),
    ]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09-493', ['Astros', 'Padres'], { start: '2026-08-09 23:10:00+00' }),
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-09 17:10:00+00' }),
    ]);
    await pass(database.sql);
    expect((await pairs()).map((pair) => [pair.event_a, pair.event_b])).toEqual([
      ['KXMLBGAME-26AUG091310HOUSDG1', 'mlb-hou-sd-2026-08-09'],
      ['KXMLBGAME-26AUG091910HOUSDG2', 'mlb-hou-sd-2026-08-09-493'],
    ]);
    expect(await codes()).toEqual(['other_start']);
  });

  it('does not take the second game for the first when the first is not listed', async () => {
    await putA([gameA('KXMLBGAME-26AUG091910HOUSDG2', 'Houston vs San Diego', [HOU, SD])]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-09 17:10:00+00' })]);
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_start']);
  });

  it('rejects both games of a doubleheader without starts', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres']),
      gameB('mlb-hou-sd-2026-08-09-493', ['Astros', 'Padres']),
    ]);
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['ambiguous']);
  });

  it('rejects the next day of a series, which a date that is off by one would also give', async () => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-10', ['Astros', 'Padres'])]);
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['rematch_next_day']);
  });

  it('accepts the UTC date of a night game when the teams do not meet twice in a row, and any date with the same start', async () => {
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
    await pass(database.sql);
    expect((await pairs()).map((pair) => pair.event_b)).toEqual(['mlb-hou-sd-2026-08-10', 'nfl-sf-la-2026-09-11']);
  });

  it('reads a start from a milestone and follows a game that both venues moved', async () => {
    await putA([houston], milestoneOf('KXMLBGAME-26AUG092020HOUSD', '2026-08-11T17:00:00Z'));
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { start: '2026-08-11 17:00:00+00' })]);
    await pass(database.sql);
    const [row] = await database.sql`select start_time, has_scheduled_start as scheduled from catalog.pairs`;
    expect(row).toEqual({ start_time: new Date('2026-08-11T17:00:00Z'), scheduled: true });
  });
});

describe('other questions with the same names', () => {
  it('keeps preseason apart from the season', async () => {
    const sides = [
      { code: 'DET', label: 'Detroit' },
      { code: 'CIN', label: 'Cincinnati' },
    ];
    await putA([
      gameA('KXNFLGAME-26SEP03DETCIN', 'Detroit vs Cincinnati', sides, { competition: 'Pro Football Preseason' }),
    ]);
    await putB([gameB('nfl-det-cin-2026-09-03', ['Lions', 'Bengals'])]);
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_stage']);
  });

  it('leaves "More Markets" copies out as duplicates', async () => {
    await putA([houston]);
    await putB([
      gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { id: 'main' }),
      gameB('mlb-hou-sd-2026-08-09-more-markets', ['Astros', 'Padres'], { id: 'more' }),
    ]);
    await pass(database.sql);
    expect((await pairs()).map((pair) => pair.event_b)).toEqual(['mlb-hou-sd-2026-08-09']);
    const reasons = await database.sql`select question_id, reason from catalog.unpaired_questions`;
    expect([...reasons]).toEqual([
      { question_id: 'venue_b:mlb-hou-sd-2026-08-09-more-markets', reason: 'duplicate_listing' },
    ]);
  });

  it('pairs a conference with itself and not with its division or the championship', async () => {
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
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['other_award']);
    await putA([futureA('KXNFLAFCCHAMP-27', 'AFC Championship Winner', west)]);
    await pass(database.sql);
    expect((await pairs()).map((pair) => pair.event_a)).toEqual(['KXNFLAFCCHAMP-27']);
  });

  it('lists only the runners of both venues and names those that are left out', async () => {
    await putA([
      futureA('KXNFLMVP-27', 'MVP Winner?', [
        { code: 'JALL', label: 'Josh Allen' },
        { code: 'JBUR', label: 'Joe Burrow' },
      ]),
    ]);
    await putB([futureB('nfl-mvp-2026-27', 'NFL MVP 2026-27', ['Josh Allen', 'Patrick Mahomes', 'Player A', 'Other'])]);
    await pass(database.sql);
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

  it('rejects a game of which one venue lists no draw', async () => {
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
    await pass(database.sql);
    expect(await pairs()).toEqual([]);
    expect(await codes()).toEqual(['legs_differ']);
  });
});

describe('the rules of a pair', () => {
  it('publishes how the two contracts differ, and keeps the payout of a cancellation internal', async () => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'])]);
    await pass(database.sql);
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
    ['an unfilled template', 'The game between [Team A] and [Team B] decides.', 'unfilled_template'],
    [
      'another day than the listing',
      'In the upcoming game, scheduled for August 20 at 1:00PM ET: the winner decides.',
      'rules_contradict_fields',
    ],
  ])('pairs %s as REVIEW at most', async (_name, text, event) => {
    await putA([houston]);
    await putB([gameB('mlb-hou-sd-2026-08-09', ['Astros', 'Padres'], { text })]);
    await pass(database.sql);
    const [pair] = await pairs();
    expect(pair).toMatchObject({ band: 'REVIEW', stage: 'candidate' });
    const [risk] = await database.sql`select severity from catalog.pair_risks where event = ${event}`;
    expect(risk?.severity).toBe('high');
  });
});

describe('a game that was moved onto the start of another game', () => {
  const on = (day: string, codes: string, at: string) =>
    gameA(`KXMLBGAME-26AUG${day}${at}HOUSD${codes}`, 'Houston vs San Diego', [HOU, SD]);
  const moved = (text: string | undefined, day = '09') =>
    gameB(`mlb-hou-sd-2026-08-${day}`, ['San Diego Padres', 'Houston Astros'], {
      id: 'x',
      start: '2026-08-10 23:40:00+00',
      ...(text === undefined ? {} : { text }),
    });
  const paired = async () => (await pairs()).map((pair) => `${pair.event_a} ${pair.event_b}`);
  const says = (day: string) =>
    `In the upcoming MLB game, scheduled for ${day} at 7:40PM ET:\nIf the Astros win, the market will resolve to "Astros".\nIf the Padres win, the market will resolve to "Padres".`;

  it('does not pair with that game although both begin together: the text names its own day', async () => {
    await putA([on('10', '', '1940')]);
    await putB([moved(says('August 9'))]);
    await pass(database.sql);
    expect([await paired(), await codes()]).toEqual([[], ['other_date']]);
  });

  it('does not pair with that game when no text names a day and the other venue lists both days', async () => {
    await putA([on('09', '', '2020'), on('10', '', '1940')]);
    await putB([moved(undefined)]);
    await pass(database.sql);
    expect(await paired()).not.toContain('KXMLBGAME-26AUG101940HOUSD mlb-hou-sd-2026-08-09');
  });

  it.each([
    ['a night game dated by UTC, its text by New York', '11', says('August 10')],
    ['a night game dated by UTC, without a text', '11', undefined],
    ['a game dated by New York', '10', says('August 10')],
  ])('still pairs %s', async (_, day, text) => {
    await putA([on('10', '', '1940'), on('11', '', '1940')]);
    await putB([moved(text, day)]);
    await pass(database.sql);
    expect(await paired()).toEqual([`KXMLBGAME-26AUG101940HOUSD mlb-hou-sd-2026-08-${day}`]);
  });
});
