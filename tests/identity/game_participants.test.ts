import { describe, expect, it } from 'vitest';
import { isDraw } from '../../functions/ingest/identity/names/participants.ts';
import { playerKey } from '../../functions/ingest/identity/names/person.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { a, b, expectUnpaired, listedA, listedB, pairs } from './game_fixtures.ts';

describe('persons', () => {
  it('are paired by family name, with or without given names and in any order', () => {
    const one = a(
      listedA('KXATPCHALLENGERMATCH-26MAY08UGOKHA', 'ugo carabelli vs khachanov', [
        ['KHA', 'khachanov'],
        ['UGO', 'ugo carabelli'],
      ]),
    );
    const slug = 'atp-camcar-karkha-2026-05-09';
    const two = b(
      listedB(slug, 'Karen Khachanov vs. Camilo Ugo Carabelli', ['Karen Khachanov', 'Camilo Ugo Carabelli']),
    );
    expect(pairs(one, two)).toEqual({
      carabelli: ['KXATPCHALLENGERMATCH-26MAY08UGOKHA-UGO', `${slug}:Camilo Ugo Carabelli`],
      khachanov: ['KXATPCHALLENGERMATCH-26MAY08UGOKHA-KHA', `${slug}:Karen Khachanov`],
    });
    expect(two?.identity.participants_full).toEqual({
      carabelli: 'camilo ugo carabelli',
      khachanov: 'karen khachanov',
    });
    expect([one?.home, one?.away]).toEqual([null, null]);
  });

  it.each([
    ['Félix Auger-Aliassime', 'auger aliassime'],
    ['Wang Xinyu', 'Xinyu Wang'],
    ['Bu Yunchaokete', 'Yunchaokete Bu'],
    ['Botic van de Zandschulp', 'van de zandschulp'],
    ['Khalil Rountree Jr.', 'rountree'],
    ['Benoît Saint-Denis', 'Benoit Saint Denis'],
    ['Chris “The Action Man” Curtis', 'curtis'],
    ['Song Yadong', 'song'],
    ['Elmer Moeller', 'möller'],
    ['Daria Zhelezniakova', 'zheleznyakova'],
    ['Daniel Merida Aguilar', 'merida'],
    ['Mayar Sherif', 'sherif ahmed abdelaziz'],
    ['Mayar Sherif', 'Maiar Sherif Ahmed Abdelaziz'],
  ])('have one key: %s and %s', (one, two) => {
    expect(playerKey(one)).toBe(playerKey(two));
  });

  it.each([
    ['Lee', 'Le'],
    ['Karolina Pliskova', 'Kristyna Plisko'],
    ['Camilo Ugo Carabelli', 'Roman Burruchaga'],
  ])('have different keys: %s and %s', (one, two) => {
    expect(playerKey(one)).not.toBe(playerKey(two));
  });

  it('list further keys when they have two family names and are not in the registry', () => {
    const one = a(
      listedA('KXATPMATCH-26MAY04MARDRO', 'martin manzano vs droguet', [
        ['MAR', 'martin manzano'],
        ['DRO', 'droguet'],
      ]),
    );
    const two = b(
      listedB('atp-juamar-titdro-2026-05-04', 'juan martin vs. titouan droguet', ['juan martin', 'titouan droguet']),
    );
    expect(one?.key).not.toBe(two?.key);
    expect(one?.identity.also).toEqual([two?.key]);
    expect(two?.identity.also).toBeUndefined();
  });

  it('with one family name are separated by full names, or excluded', () => {
    const slug = 'wta-xinwan-yafwan-2026-05-09';
    const two = b(listedB(slug, 'Xinyu Wang vs. Yafan Wang', ['Xinyu Wang', 'Yafan Wang']));
    const separated = a(
      listedA('KXWTAMATCH-26MAY09WANWAN', 'Wang vs Wang', [
        ['WAN', 'Wang Yafan'],
        ['WAN2', 'Xinyu Wang'],
      ]),
    );
    expect(Object.values(pairs(separated, two))).toContainEqual(['KXWTAMATCH-26MAY09WANWAN-WAN', `${slug}:Yafan Wang`]);
    const bare = listedA('KXWTAMATCH-26MAY09WANWAN', 'wang vs wang', [
      ['WAN', 'wang'],
      ['WAN2', 'wang'],
    ]);
    expect(a(bare)?.excluded).toBe('ambiguous_alias');
    const coded = listedA('KXWTAMATCH-26MAY09WANWAN', 'wang vs wang', [
      ['WAN', null],
      ['WAN2', null],
    ]);
    expect(a(coded)?.excluded).toBe('ambiguous_alias');
  });

  it('get different keys for men, women, lower circuits and doubles', () => {
    const sides: [string, string][] = [
      ['KIM', 'kim'],
      ['LEE', 'lee'],
    ];
    const men = a(listedA('KXATPMATCH-26MAY09KIMLEE', 'kim vs lee', sides));
    const itf = a(listedA('KXITFMATCH-26MAY09KIMLEE', 'kim vs lee', sides));
    const women = b(listedB('wta-ankim-bolee-2026-05-09', 'An Kim vs. Bo Lee', ['An Kim', 'Bo Lee']));
    const doubles = b(listedB('atp-kimpar-leecho-2026-05-09', 'Kim/Park vs. Lee/Choi', ['Kim/Park', 'Lee/Choi']));
    expectUnpaired(men, women);
    expectUnpaired(itf, women);
    expectUnpaired(men, doubles);
    expect(men?.key).not.toBe(itf?.key);
  });

  it('without a label are resolved by the code at its position in the ticker', () => {
    const event = listedA('KXATPMATCH-26MAY08TIEDZU', 'tien vs dzumhur', [
      ['DZU', null],
      ['TIE', null],
    ]);
    const named = a(event)?.legs.map((leg) => [leg.outcome_key, leg.contract_id]);
    expect(named).toEqual([
      ['tien', 'KXATPMATCH-26MAY08TIEDZU-TIE'],
      ['dzumhur', 'KXATPMATCH-26MAY08TIEDZU-DZU'],
    ]);
    expect(a({ ...event, title: 'someone vs nobody' })?.excluded).toBe('unknown_alias');
  });

  it('with names shorter than a code are resolved by a code padded with X', () => {
    const event = listedA('KXITFWMATCH-26APR15LUXYEX', 'lu vs ye', [
      ['LUX', null],
      ['YEX', null],
    ]);
    expect(a(event)?.legs.map((leg) => leg.outcome_key)).toEqual(['lu', 'ye']);
  });

  it('are both parsed from the question of a single market', () => {
    const ticker = 'KXUFCFIGHT-26JUL25BONSOL';
    const title = 'Will Ismael Bonfim win the Bonfim vs Sola professional MMA fight scheduled for Jul 25, 2026?';
    const one = a({ event_ticker: ticker, markets: [{ ticker: `${ticker}-BON`, title }] });
    const slug = 'ufc-ismbon-axesol-2026-07-25';
    const two = b(
      listedB(slug, 'UFC Fight Night: Axel Sola vs. Ismael Bonfim (Lightweight, Prelims)', [
        'Axel Sola',
        'Ismael Bonfim',
      ]),
    );
    expect(pairs(one, two)).toEqual({
      bonfim: [`${ticker}-BON`, `${slug}:Ismael Bonfim`],
      sola: [`${ticker}-BON`, `${slug}:Axel Sola`],
    });
    expect(one?.legs.find((leg) => leg.outcome_key === 'sola')?.side).toBe('no');
  });
});

describe('teams of an open league', () => {
  it('are paired by registered aliases in either order', () => {
    const one = a(
      listedA('KXLOLGAME-26APR170400DNFFOX', 'DN SOOPers vs. BNK FEARX', [
        ['DNF', null],
        ['FOX', 'BNK FEARX'],
      ]),
    );
    const two = b(listedB('lol-bfx-dns-2026-04-17', 'LoL: Fear X vs DNS (BO3) - LCK Rounds 1-2', ['Fear X', 'DNS']));
    expect(Object.keys(pairs(one, two)).sort()).toEqual(['bnk-fearx', 'dn-soopers']);
  });

  it('are paired only by the full printed name when the registry does not list them', () => {
    const one = a(
      listedA('KXLOLGAME-26JUL191900FUEPLS', null, [['PLS', 'Polar Squad Esports']], {
        markets: [
          {
            ticker: 'KXLOLGAME-26JUL191900FUEPLS-PLS',
            title: 'Will Polar Squad Esports win the Fuego vs. Polar Squad Esports League of Legends match?',
          },
        ],
      }),
    );
    const two = b(
      listedB('lol-pls-fue-2026-07-19', 'Polar Squad E-Sports vs. Fuego', ['Polar Squad E-Sports', 'Fuego']),
    );
    pairs(one, two);
    expect(one?.identity.participants_by).toEqual(['as_printed']);
    expectUnpaired(one, b(listedB('lol-pls-fue-2026-07-19', 'Polar Squad vs. Fuego', ['Polar Squad', 'Fuego'])));
    expectUnpaired(
      one,
      b(
        listedB('lol-pls-fue-2026-07-19', 'Polar Squad Esports Academy vs. Fuego', [
          'Polar Squad Esports Academy',
          'Fuego',
        ]),
      ),
    );
  });

  it('are never resolved by a code that the title does not support', () => {
    const event = listedA('KXLOLGAME-26APR170100FOXYBRO', 'BNK FearX Youth vs. OKSavingsBank BRION Challengers', [
      ['BRO', null],
      ['FOXY', null],
    ]);
    expect(
      a(event)
        ?.legs.map((leg) => leg.outcome_key)
        .sort(),
    ).toEqual(['bnk-fearx-youth', 'oksavingsbank-brion-challengers']);
    expect(a({ ...event, title: 'Somebody vs. Anybody' })?.excluded).toBe('unknown_alias');
  });

  it('have other keys than other teams of the same organization', () => {
    const side = (name: string): Question | undefined =>
      a(
        listedA('KXLOLGAME-26APR170400XXYY', `${name} vs. T1`, [
          ['XX', name],
          ['T1', 'T1'],
        ]),
      );
    const keys = ['Dplus KIA', 'Dplus KIA Challengers', 'Karmine Corp', 'Karmine Corp Blue'].map(
      (name) => side(name)?.key,
    );
    expect(new Set(keys).size).toBe(4);
  });

  it('keep G2 at the end of a ticker as a team, because only baseball plays doubleheaders', () => {
    const question = a(
      listedA('KXLOLGAME-26APR181100KCG2', 'Karmine Corp vs. G2 Esports', [
        ['KC', 'Karmine Corp'],
        ['G2', 'G2 Esports'],
      ]),
    );
    expect([question?.game_no, question?.excluded]).toEqual([null, null]);
    expect(
      a(
        listedA('KXMLBGAME-26AUG091310HOUSDG2', 'Houston vs San Diego', [
          ['HOU', 'Houston'],
          ['SD', 'San Diego'],
        ]),
      )?.game_no,
    ).toBe(2);
  });

  it.each([
    ['the first game of the doubleheader', 1],
    ['the second game of the doubleheader', 2],
    ['Game 1 of a doubleheader', 1],
    ['Game 2 of a doubleheader', 2],
    ['the game', null],
  ])('have the number of a doubleheader from the text of venue_b: %s', (words, game_no) => {
    const event = listedB('mlb-hou-sd-2026-08-09', 'Houston Astros vs. San Diego Padres', [
      'Houston Astros',
      'San Diego Padres',
    ]);
    event.markets[0].description = `This market refers to ${words} scheduled for August 9, 2026.`;
    expect(b(event)?.game_no).toBe(game_no);
  });

  it('are not resolved in another video game than their own', () => {
    const lol = a(
      listedA('KXLOLGAME-26MAY101600FLYC9', 'FlyQuest vs. Cloud9', [
        ['FLY', 'FlyQuest'],
        ['C9', 'Cloud9'],
      ]),
    );
    const cs = b(listedB('cs2-fly-c9-2026-05-10', 'Counter-Strike: FlyQuest vs Cloud9 (BO3)', ['FlyQuest', 'Cloud9']));
    expectUnpaired(lol, cs);
  });
});

describe('cricket', () => {
  it('pairs teams in any order and never pairs men with women', () => {
    const one = a(
      listedA('KXIPLGAME-26APR17KKRGT', 'gujarat titans vs kolkata knight riders', [
        ['KKR', 'kolkata knight riders'],
        ['GT', 'gujarat titans'],
      ]),
    );
    const two = b(
      listedB('cricipl-kol-guj-2026-04-17', 'Indian Premier League: Kolkata Knight Riders vs Gujarat Titans', [
        'Kolkata Knight Riders',
        'Gujarat Titans',
      ]),
    );
    expect(pairs(one, two)['gujarat-titans']?.[0]).toBe('KXIPLGAME-26APR17KKRGT-GT');
    const women = 'T20 Series South Africa vs. India, Women: South Africa vs India';
    expect(b(listedB('crint-zaf-ind-2026-04-17', women, ['South Africa', 'India']))?.excluded).toBe('contradictory');
    const men = a(
      listedA('KXT20MATCH-26APR170830INDSA', 'South Africa vs India', [
        ['SA', 'South Africa'],
        ['IND', 'India'],
      ]),
    );
    expectUnpaired(
      men,
      b(
        listedB('crint-zaf-ind-2026-04-17', 'South Africa Women vs India Women', ['South Africa Women', 'India Women']),
      ),
    );
  });
});

describe('isDraw', () => {
  it.each(['Tie', 'Draw', 'The Draw', ' draw ', 'Draw (Arsenal vs. Chelsea)'])('accepts "%s"', (label) => {
    expect(isDraw(label)).toBe(true);
  });
  it.each(['', 'No draw', 'Draw No Bet', 'Drawn', 'Tied', 'Not a draw (Arsenal vs. Chelsea)'])(
    'rejects "%s"',
    (label) => {
      expect(isDraw(label)).toBe(false);
    },
  );
});
