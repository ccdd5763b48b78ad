import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { eventB, type ListingA, type ListingB, pairListings, soccerB, winnerA, winnerB } from './sports_listings.ts';

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

  it('without a counterpart is explained by a sentence', async () => {
    await match([VIKINGUR], []);
    const [row] = await database.sql<{ reason: string; why: string }[]>`
      select u.reason, catalog.describe_exclusion(u.reason) as why from catalog.unpaired_questions u`;
    expect(row).toEqual({
      reason: 'unconfirmed_league',
      why: 'The league or contest is not in the registry. Text evidence may make a candidate, never a published pair.',
    });
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

/** Buxby against Netherton in a league of which both venues print `qfl`. */
const nicknamesA = (more: { series?: string; codes?: [string, string]; start?: string; day?: string } = {}) => {
  const [one, two] = more.codes ?? ['BUF', 'NE'];
  return winnerA(
    more.series ?? 'KXQFLGAME',
    more.day ?? DAY,
    `${one}${two}`,
    'Buxby vs Netherton',
    [`${one} Buxby`, `${two} Netherton`],
    more.start === undefined ? {} : { start: more.start },
  );
};
const OTTERS = onB(`qfl-buf-ne-${DAY}`, ['Otters', 'Larks']);
const START = `${DAY}T17:00:00Z`;

describe('a game whose venues print other names', () => {
  it('is a candidate by the codes of the ticker and the slug, whose order gives the sides', async () => {
    const expected = [expect.objectContaining({ legs: ['otters: BUF yes = Otters', 'netherton: NE yes = Larks'] })];
    expect(await match([nicknamesA()], [OTTERS])).toEqual(expected);
    expect(await stages()).toEqual([expect.objectContaining({ stage: 'candidate', band: 'REVIEW' })]);
    const crossed = onB(`qfl-ne-buf-${DAY}`, ['Larks', 'Otters']);
    expect(await match([nicknamesA()], [crossed])).toEqual(expected);
  });

  it.each<[string, ListingA, ListingB]>([
    ['one code is another', nicknamesA({ codes: ['BUF', 'NEP'] }), OTTERS],
    ['it is another date', nicknamesA({ day: '2026-08-10' }), OTTERS],
    [
      'the starts differ',
      nicknamesA({ start: START }),
      onB(`qfl-buf-ne-${DAY}`, ['Otters', 'Larks'], `${DAY}T22:00:00Z`),
    ],
    ['the venues abbreviate the league differently', nicknamesA({ series: 'KXZZGAME' }), OTTERS],
    [
      'the leagues differ and only the start is equal',
      nicknamesA({ series: 'KXZZGAME', start: START }),
      onB(`qfl-buf-ne-${DAY}`, ['Otters', 'Larks'], START),
    ],
    ['the slug has a third code', nicknamesA(), onB(`qfl-buf-ne-x-${DAY}`, ['Otters', 'Larks'])],
  ])('has no pair when %s', async (_name, a, b) => {
    expect(await match([a], [b])).toEqual([]);
  });

  it('has no pair when the letters of a code spell the name of the other side', async () => {
    const chicago = winnerA('KXQFLGAME', DAY, 'CHIKC', 'Chelmby vs Karsten City', ['CHI Chelmby', 'KC Karsten City']);
    expect(await match([chicago], [onB(`qfl-chi-kc-${DAY}`, ['Bisons', 'Chieftains'])])).toEqual([]);
  });

  it('has no pair when names and codes assign the sides differently', async () => {
    const game = winnerA('KXQFLGAME', DAY, 'XXAYYB', 'Alfa vs Bravo', ['XXA Alfa', 'YYB Bravo']);
    expect(await match([game], [onB(`qfl-yyb-xxa-${DAY}`, ['Alfa', 'Bravo'])])).toEqual([]);
  });

  it('has no pair when two games of the day have the same codes', async () => {
    const second = onB(`qfl-buf-ne-${DAY}-2`, ['Otters', 'Larks']);
    expect(await match([nicknamesA()], [OTTERS, second])).toEqual([]);
    expect(await match([nicknamesA(), nicknamesA({ series: 'KXQFLMATCH' })], [OTTERS])).toEqual([]);
  });

  it('needs the same league or the same start when the names of one side alone agree', async () => {
    const athletics = (series: string, start?: string) =>
      winnerA(series, DAY, 'TEXATH', "Texley vs A's", ['TEX Texley', "ATH A's"], start === undefined ? {} : { start });
    const b = (start?: string) => onB(`qfl-tex-ath-${DAY}`, ['Texley Rovers', 'Athlons'], start);
    const legs = [
      expect.objectContaining({ legs: ['texley-rovers: TEX yes = Texley Rovers', 'athlons: ATH yes = Athlons'] }),
    ];
    expect(await match([athletics('KXQFLGAME')], [b()])).toEqual(legs);
    expect(await match([athletics('KXZZGAME', START)], [b(START)])).toEqual(legs);
    expect(await match([athletics('KXZZGAME')], [b()])).toEqual([]);
  });
});

describe('two clubs of one city', () => {
  const mets = winnerA('KXZZGAME', DAY, 'NYMLAD', 'Portnew M vs Lansty D', ['NYM Portnew M', 'LAD Lansty D']);
  const metsB = onB(`qfl-nym-lad-${DAY}`, ['Portnew Metros', 'Lansty Dragons']);
  const yankeesB = onB(`qfl-laa-nyy-${DAY}`, ['Lansty Angels', 'Portnew Yaks']);

  it('are distinguished by the letter of a name', async () => {
    expect((await match([mets], [metsB, yankeesB])).map((pair) => pair.b)).toEqual([metsB.slug]);
    expect(await match([mets], [yankeesB])).toEqual([]);
  });
});

describe('a game with one listed side', () => {
  const only = (code: string, label: string) => gameA('VIKVAL', 'Víkingur vs Valur', [`${code} ${label}`]);

  it('is a candidate with the outcome that both venues list, and NO is not taken for the other side', async () => {
    const pairs = await match([only('VIK', 'Víkingur')], [onB(`xyz-vik-val-${DAY}`, ['Vikingur', 'Valur'])]);
    expect(pairs.map((pair) => pair.legs)).toEqual([['vikingur: VIK yes = Vikingur']]);
  });

  it('has no pair when the other venue lists the other side alone', async () => {
    const valur = soccerB(`xyz-vik-val-${DAY}`, ['Vikingur', 'Valur']);
    const alone = { ...valur, markets: (valur.markets as { groupItemTitle: string }[]).slice(2) };
    expect(await match([only('VIK', 'Víkingur')], [alone])).toEqual([]);
    expect(await match([only('VAL', 'Valur')], [alone])).toHaveLength(1);
  });
});

describe('a market without a label', () => {
  it('is the draw if its code is TIE and two sides are listed, and a person if one is', async () => {
    const persons = gameA('TIEBRO', 'Tierney vs Brook', ['TIE', 'BRO']);
    const pairs = await match([persons], [onB(`xyz-tie-bro-${DAY}`, ['Tierney', 'Brook'])]);
    expect(pairs.map((pair) => pair.legs)).toEqual([['tierney: TIE yes = Tierney', 'brook: BRO yes = Brook']]);
    const clubs = gameA('TIRBRO', 'Tirana vs Brook', ['TIR Tirana', 'BRO Brook', 'TIE']);
    const [pair] = await match([clubs], [soccerB(`xyz-tir-bro-${DAY}`, ['Tirana', 'Brook'])]);
    expect(pair?.legs).toHaveLength(3);
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

describe('hostile codes', () => {
  it.each<[string, string, [string, string]]>([
    ['10,000 characters', `qfl-${'b'.repeat(10_000)}-ne-${DAY}`, ['Otters', 'Larks']],
    ['Cyrillic letters that look like Latin ones', `qfl-buf-nе-${DAY}`, ['Otters', 'Larks']],
    ['bidirectional marks', `qfl-\u202efub-ne-${DAY}`, ['Otters', 'Larks']],
    ['markup', `qfl-<b>buf</b>-ne-${DAY}`, ['Otters', 'Larks']],
    ['no letters', `qfl----${DAY}`, ['Otters', 'Larks']],
    ['the same code twice', `qfl-buf-buf-${DAY}`, ['Otters', 'Larks']],
    ['names in the place of codes', `qfl-buf-ne-${DAY}`, ['<i>BUF</i> \u202eNE', 'NE BUF']],
  ])('with %s make no pair and stop nothing', async (_name, slug, names) => {
    const pairs = await match(
      [nicknamesA(), VIKINGUR],
      [onB(slug, names), onB(`xyz-val-vik-${DAY}`, ['Valur', 'Vikingur'])],
    );
    expect(pairs.map((pair) => pair.b)).toEqual([`xyz-val-vik-${DAY}`]);
  });

  it('make no pair and stop nothing when a ticker has markup, marks or 10,000 characters', async () => {
    for (const code of ['<B>BUF', '\u202eFUB', 'B'.repeat(10_000), 'ВUF']) {
      const pairs = await match([nicknamesA({ codes: [code, 'NE'] }), VIKINGUR], [OTTERS]);
      expect(pairs).toEqual([]);
    }
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
