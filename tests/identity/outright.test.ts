import { describe, expect, it } from 'vitest';
import { parseAward } from '../../functions/ingest/identity/outright/award.ts';
import { contestsById } from '../../functions/ingest/identity/outright/outright_awards.ts';
import { personByCode, personByName } from '../../functions/ingest/identity/outright/outright_players.ts';
import { parseOutright } from '../../functions/ingest/identity/outright/outright_sentence.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

const context = { now: '2026-04-22T12:00:00Z' };
const outrightOf = (questions: Question[]) => questions.find((one) => one.family === 'outright');
const a = (event: object) => outrightOf(questionsOfVenueA(event, context).questions);
const b = (event: object) => outrightOf(questionsOfVenueB(event, context).questions);

/**
 * A venue_a event with one market per code, and with the name in its question where one is given.
 */
function listedA(ticker: string, title: string | null, markets: { code: string; title?: string; name?: string }[]) {
  return {
    event_ticker: ticker,
    series_ticker: ticker.split('-')[0],
    ...(title === null ? {} : { title }),
    markets: markets.map((one) => ({
      ticker: `${ticker}-${one.code}`,
      ...(one.title === undefined ? {} : { title: one.title }),
      ...(one.name === undefined ? {} : { yes_sub_title: one.name }),
    })),
  };
}

/** A venue_b event of Yes/No markets. */
function listedB(slug: string, title: string | null, markets: { slug?: string; question?: string; name?: string }[]) {
  return {
    slug,
    ...(title === null ? {} : { title }),
    markets: markets.map((one, at) => ({
      conditionId: `m${at}`,
      slug: one.slug ?? `${slug}-${at}`,
      outcomes: '["Yes", "No"]',
      clobTokenIds: `["m${at}:yes", "m${at}:no"]`,
      ...(one.question === undefined ? {} : { question: one.question }),
      ...(one.name === undefined ? {} : { groupItemTitle: one.name }),
    })),
  };
}

describe('parseAward', () => {
  it.each([
    ['NBA: Eastern Conference Champion', 'nba east-champion'],
    ['Will win the 2026 NBA Finals', 'nba champion'],
    ['2026 NBA Finals MVP', 'nba finals-mvp'],
    ['Pro Basketball Points Per Game Leader', 'nba points-leader'],
    ["Women's Pro Basketball Champion", 'wnba champion'],
    ['lead Pro Baseball in triples for the 2026 regular season', 'mlb triples-leader'],
    ['hit the most home runs in the 2026 MLB regular season', 'mlb home-runs-leader'],
    ['AFC West Division Winner', 'nfl afc-west-winner'],
    ['AFC Championship Winner', 'nfl afc-champion'],
    ['be one of the 2026-27 Pro Football playoff qualifiers', 'nfl playoffs'],
    ['La Liga - Top 4 Finish', 'la-liga top-4'],
    ['be relegated from the English Premier League after the 2025–26 season', 'epl relegation'],
    ['finish in 2nd place in the 2025-26 English Premier League', 'epl place-2'],
    ['World Cup Group L Winner', 'world-cup group-l'],
    ['World Cup Group L Qualifiers', 'world-cup group-l-qualifiers'],
    ["2026 Women's French Open Winner", 'french-open-women champion'],
    ["wins the 2026 US Open men's singles championship scheduled for September 13, 2026", 'us-open-men champion'],
    ['PGA Tour: PGA Championship Top 20', 'pga-championship top-20'],
    ['Masters Third Round Leader', 'masters round-3-leader'],
    ['Stanley Cup® Champion?', 'nhl champion'],
    ["F1 Drivers' Champion", 'f1 champion'],
    ["F1 Constructors' Champion", 'f1 constructors'],
    ['first pick of the 2026 NFL Draft', 'nfl-draft pick-1'],
    ['be the UFC Light Heavyweight Champion on December 31, 2026', 'ufc light-heavyweight-at-year-end'],
    ['Canadian Grand Prix Main Race: Podium Finishers', 'f1-canadian podium'],
    ['Liga MX Clausura Winner', 'liga-mx clausura'],
  ])('parses "%s" as %s', (text, expected) => {
    const parsed = parseAward(text);
    expect(`${parsed?.competition} ${parsed?.id}`).toBe(expected);
  });

  it.each([
    'NBA Playoffs: Team to advance to NBA Finals',
    'NBA Summer League Champion',
    "Women's Champions League: Top Scorer or Winner",
    'Basketball Premier League Winner',
    'Premier League: Champions League Qualification',
    'Next Premier League manager to be sacked',
    'Conference to Win the College Football National Championship',
    'How many games will the NBA champion win?',
    'US Open Winner',
    'NBA MVP not Nikola Jokic',
    'First team to win 40 games in the NBA',
    'Super Bowl halftime show',
    '2026 FIFA World Cup: Player to make USA Squad',
    'Will G2 Esports qualify to MSI 2026?',
    'UFC Welterweight Champion on June 30, 2026',
    'win the NBA regular season',
    '',
  ])('parses no award from "%s"', (text) => {
    expect(parseAward(text)).toBeNull();
  });

  it('uses the contest of the series, and none when several contests share its stem', () => {
    expect(parseAward('MVP Winner?', { series: 'KXNFLMVP' })).toMatchObject({ competition: 'nfl', id: 'mvp' });
    expect(parseAward('MVP Winner?')).toBeNull();
    expect(parseAward('Winner?', { series: 'KXNFLMVP' })).toBeNull();
    expect(parseAward('Championship Winner?', { series: 'KXPGATOUR' })).toBeNull();
    expect(parseAward('US Open Winner', { series: 'KXATP' })).toMatchObject({ competition: 'us-open-men' });
    expect(parseAward('US Open Winner', { series: 'KXWTA' })).toMatchObject({ competition: 'us-open-women' });
    expect(parseAward('PGA Championship: Top 20 Finishers', { series: 'KXPGATOP20' })).toMatchObject({
      competition: 'pga-championship',
      id: 'top-20',
    });
  });

  it('gives no wording to two awards of one contest', () => {
    const shared = [...contestsById().values()].flatMap((contest) =>
      [...contest.wordings].filter(([, award]) => award === null).map(([core]) => `${contest.id}: ${core}`),
    );
    expect(shared).toEqual([]);
  });

  it('does not confuse a league with leagues of the same name in other countries', () => {
    expect(contestsById().size).toBeGreaterThan(200);
    expect(parseAward('Russian Premier League winner')?.competition).not.toBe('epl');
    expect(parseAward('Brazil Serie A winner')?.competition).not.toBe('serie-a');
    expect(parseAward('Austrian Bundesliga winner')?.competition).not.toBe('bundesliga');
  });
});

describe('parseOutright', () => {
  it.each([
    ['Will the Los Angeles Chargers win the AFC West?', 'Los Angeles Chargers', 'win the AFC West'],
    ['PGA Championship: Will Aaron Rai finish top 20?', 'Aaron Rai', 'PGA Championship finish top 20'],
    ['Will Will Smith win NL MVP?', 'Will Smith', 'win NL MVP'],
    [
      'Luke Littler wins the 2026-27 PDC World Darts Championship.',
      'Luke Littler',
      'win the 2026-27 PDC World Darts Championship',
    ],
    [
      'If the Miami Dolphins are the 2026 AFC East Division Champion, this market will settle to Yes.',
      'Miami Dolphins',
      'are the 2026 AFC East Division Champion',
    ],
    ['If a team from Europe wins the 2026 World Cup Final', 'Europe', 'region win the 2026 World Cup Final'],
  ])('parses the sentence "%s" as a question about %s', (sentence, runner, asks) => {
    expect(parseOutright(sentence)).toEqual({ runner, asks });
  });

  it.each([null, '', 'Who will win MVP?', 'Bitcoin above 100k', '???'])('parses no question from %s', (sentence) => {
    expect(parseOutright(sentence)).toBeNull();
  });
});

describe('the registry of persons', () => {
  it('finds a person by one name, by several names, or by the full name', () => {
    expect(personByName('soccer', 'Raphinha')?.key).toBe('raphinha');
    expect(personByName('soccer', 'Vinícius Júnior')?.key).toBe(personByName('soccer', 'Vini Jr.')?.key);
    expect(personByName('nhl/skaters', 'Mitchell Marner')?.key).toBe('mitch-marner');
    expect(personByName('nhl/skaters', 'Jane Doe')).toMatchObject({ key: 'jane-doe', by: 'name' });
    expect(personByName('nhl/skaters', 'Marner')).toBeNull();
    expect(personByName(null, 'Raphinha')).toBeNull();
  });

  it('finds a person by a code only when the list has exactly one person with that code', () => {
    expect(personByCode('nba/players', 'venue_a', 'LDON')?.key).toBe('luka-doncic');
    expect(personByCode('nba/players', 'venue_b', 'lukdon')?.key).toBe('luka-doncic');
    // Ausar and Amen Thompson; James Harden and Josh Hart.
    for (const code of ['ATHO', 'JHAR', 'ZZZZ', '']) expect(personByCode('nba/players', 'venue_a', code)).toBeNull();
    expect(personByCode(null, 'venue_a', 'LDON')).toBeNull();
  });
});

describe('season-long questions of both venues', () => {
  it('match when venue_a prints only codes, and leave out persons that a code does not identify', () => {
    const left = a(
      listedA('KXNHLNORRIS-26', 'NHL James Norris Memorial Trophy', [
        { code: 'CMAK' },
        { code: 'QHUG' },
        { code: 'XXXX' },
      ]),
    );
    const right = b(
      listedB('nhl-2025-26-james-norris-memorial-trophy', 'NHL James Norris Memorial Trophy Winner', [
        { name: 'Cale Makar' },
        { name: 'Quinn Hughes' },
        { name: 'Other' },
      ]),
    );
    expect(left?.key).toBe(right?.key);
    expect(left?.excluded).toBeNull();
    expect(left?.legs.map((leg) => leg.outcome_key)).toEqual(['cale-makar', 'quinn-hughes']);
    expect(right?.legs.map((leg) => leg.outcome_key)).toEqual(['cale-makar', 'quinn-hughes']);
    expect(left?.identity.read_by).toEqual({ 'cale-makar': 'code', 'quinn-hughes': 'code' });
    expect(left?.identity.left_out).toEqual([{ name: 'XXXX', why: 'unknown_alias' }]);
    expect(right?.identity.left_out).toEqual([{ name: 'Other', why: 'placeholder' }]);
  });

  it('have titles in title case', () => {
    const titleOf = (ticker: string, title: string) =>
      a(listedA(ticker, title, [{ code: 'BOS', name: 'Boston' }]))?.title;
    expect(titleOf('KXNBAATLANTIC-27', 'NBA Atlantic Division Winner')).toBe('NBA Atlantic Division 2027');
    const names = [...contestsById().values()].flatMap(({ name, wordings }) => [
      name,
      ...[...wordings.values()].flatMap((award) => (award ? [award.name] : [])),
    ]);
    const small = ['of', 'the', 'in', 'on', 'de', 'del', 'do', 'des', "d'Or"];
    const lower = names.flatMap((name) =>
      name.split(' ').filter((word) => /^[a-z]/.test(word) && !small.includes(word)),
    );
    expect(lower).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(['ALCS Qualifiers', 'ERA Leader', 'Group A Winner', 'The Sentry']));
  });

  it('match without titles, by their questions and the year in a slug', () => {
    const left = a(
      listedA('KXNFLAFCEAST-27', null, [{ code: 'MIA', title: 'Will Miami win the Pro Football AFC East Division?' }]),
    );
    const right = b(
      listedB('nfl-afceast-2027-01-10', null, [
        { question: 'If the Miami Dolphins are the 2026 AFC East Division Champion, this market will settle to Yes.' },
      ]),
    );
    expect(left?.key).toBe('outright|football|nfl|afc-east-winner|2027');
    expect(right).toMatchObject({ key: left?.key, excluded: null });
    expect(right?.legs[0]?.outcome_key).toBe(left?.legs[0]?.outcome_key);
  });

  it('take a code from the end of a slug when no label is printed', () => {
    const mlb = b(
      listedB('mlb-alchamp-2026-09-27', 'American League Champion', [
        { slug: 'mlb-alchamp-2026-09-27-nyy' },
        { slug: 'mlb-alchamp-2026-09-27-zzz' },
      ]),
    );
    expect(mlb?.key).toBe('outright|baseball|mlb|al-champion|2026');
    expect(mlb?.legs.map((leg) => leg.outcome_key)).toEqual(['new-york-yankees']);
  });

  it('have different keys for tournaments, years, places and genders', () => {
    const keyA = (ticker: string, title: string) =>
      a(listedA(ticker, title, [{ code: 'SCHE', name: 'Scottie Scheffler' }]))?.key ?? null;
    const keys = [
      keyA('KXPGATOP5-PGC26', 'PGA Championship: Top 5 Finishers'),
      keyA('KXPGATOP20-PGC26', 'PGA Championship: Top 20 Finishers'),
      keyA('KXPGATOP20-MAST26', 'Masters: Top 20 Finishers'),
      keyA('KXPGATOP20-MAST27', 'Masters: Top 20 Finishers'),
      keyA('KXPGAR1TOP20-MAST26', 'Masters: Round 1 Top 20 Finishers'),
      keyA('KXFOMEN-26', "Men's French Open Winner"),
      keyA('KXFOWOMEN-26', "Women's French Open Winner"),
    ];
    expect(keys).not.toContain(null);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('follow the title instead of the markets, and leave out a market that contradicts the title', () => {
    const conference = listedA('KXNCAAFCONF-26', 'Conference to Win the National Championship', [
      { code: 'B10', title: 'Will the Big Ten win the College Football National Championship?' },
    ]);
    expect(a(conference)).toBeUndefined();
    const mixed = b(
      listedB('x', 'NBA: 2026 MVP', [
        { question: 'Will Luka Doncic win the 2026 NBA MVP?' },
        { question: 'Will Cooper Flagg win the 2026 NBA Rookie of the Year?' },
        { question: 'Will Nikola Jokic win the 2026 NBA MVP?' },
      ]),
    );
    expect(mixed?.legs.map((leg) => leg.outcome_key)).toEqual(['luka-doncic', 'nikola-jokic']);
    expect(mixed?.identity.left_out).toEqual([{ name: 'Cooper Flagg', why: 'contradictory' }]);
    const untitled = b(
      listedB('x', null, [
        { question: 'Will Luka Doncic win the 2026 NBA MVP?' },
        { question: 'Will Cooper Flagg be traded?' },
        { question: 'Will Nikola Jokic win the 2026 NBA MVP?' },
      ]),
    );
    expect(untitled?.legs.map((leg) => leg.outcome_key)).toEqual(['luka-doncic', 'nikola-jokic']);
  });

  it('ask for a continent with a list of continents, not for a champion', () => {
    const left = a(
      listedA('KXWCCONTINENT-26', null, [{ code: 'EUR', title: "Will Europe (UEFA) win the 2026 Men's World Cup?" }]),
    );
    const right = b(
      listedB('fifa-wc-2026-07-19-continent', null, [
        { question: 'If a team from Europe wins the 2026 World Cup Final' },
      ]),
    );
    expect(left).toMatchObject({ key: right?.key, excluded: null });
    expect(left?.legs[0]?.outcome_key).toBe('europe');
    expect(right?.legs[0]?.outcome_key).toBe('europe');
  });

  it('skip a series of two teams under a conference ticker', () => {
    const east = listedA('KXNBAEAST-27', 'Series Winner: Cleveland (4) vs New York (3)', [
      { code: 'CLE', name: 'Cleveland' },
      { code: 'NYK', name: 'New York' },
    ]);
    expect(a(east)).toBeUndefined();
    const other = listedA('KXNBAEAST-27', 'Which team will host the All-Star Game?', [
      { code: 'CLE', name: 'Cleveland' },
    ]);
    expect(a(other)?.excluded).toBe('contradictory');
  });

  it('never throw for a listing of any shape', () => {
    const odd: unknown[] = [
      null,
      5,
      'x',
      [],
      {},
      { title: 7, markets: 'x' },
      { title: 'NBA MVP', markets: [null, 3, {}] },
    ];
    for (const one of odd) {
      expect(() => questionsOfVenueA({ event_ticker: 'KXNBAMVP-26', ...(one as object) }, context)).not.toThrow();
      expect(() => questionsOfVenueB({ slug: 'nba-mvp', ...(one as object) }, context)).not.toThrow();
    }
  });
});
