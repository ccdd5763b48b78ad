import { leagueBy, type Team } from '../leagues/index.ts';
import type { DeathClause } from '../question.ts';

/**
 * A season-long question in the words of each venue. The base time fills in `{year}`, `{next}` and
 * `{season}`.
 */
export type Runner = { code: string; city: string; full: string };
export type Future = {
  league: string;
  series: string;
  targetKey: string;
  site: string;
  runners: readonly Runner[];
  a: { title: string; prize: string; competition: string; scope: string };
  b: { title: string; slug: string; prize: string };
  tags: readonly (readonly [string, string, string])[];
  augmented: boolean;
  on: 'both' | 'a' | 'b';
  /**
   * The field of venue A's listing whose text settles the death of a player at the last price. Null
   * where no text does.
   */
  deathClause: DeathClause | null;
};

function future(
  league: string,
  series: string,
  cut: readonly [number, number] | null,
  a: readonly [title: string, prize: string, scope?: string],
  b: readonly [title: string, slug: string, prize: string],
  more: Partial<Future> = {},
): Future {
  const of = leagueBy(league);
  const teams: readonly Team[] = cut ? of.teams.slice(cut[0], cut[0] + cut[1]) : of.teams;
  return {
    league,
    series,
    targetKey: of.targetKey,
    site: of.resolution,
    runners: teams.map(({ code, city, full }) => ({ code, city, full })),
    a: { title: a[0], prize: a[1], competition: of.competition, scope: a[2] ?? 'Future' },
    b: { title: b[0], slug: b[1], prize: b[2] },
    tags: of.tags.filter((tag) => tag[2] !== 'games' && tag[2] !== 'sports'),
    augmented: false,
    on: 'both',
    deathClause: null,
    ...more,
  };
}

function champion(
  league: string,
  series: string,
  aTitle: string,
  aPrize: string,
  bTitle: string,
  bPrize: string,
  more: Partial<Future> = {},
): Future {
  return future(league, series, null, [aTitle, aPrize], [bTitle, bTitle, bPrize], more);
}

/** A division or conference: a lookalike of the championship, with the same teams. */
function part(
  league: string,
  series: string,
  cut: readonly [number, number],
  name: string,
  bPrize: string,
  on: Future['on'] = 'both',
): Future {
  const of = leagueBy(league);
  // One venue names a football season by the year in which it starts, the other by the year in
  // which it ends. Therefore both years are written.
  const when = league === 'nfl' ? '{season}' : '{year}';
  return future(
    league,
    series,
    cut,
    [
      `{year} ${of.competition} ${name} Champion`,
      `${league === 'mlb' ? '{year}' : '{season}'} ${of.competition} ${name}`,
      name.length > 4 && name.includes('Conference') ? 'Conference' : 'Division',
    ],
    [`${bPrize} Winner ${when}`, `${bPrize} winner ${when}`, `${when} ${bPrize}`],
    { on },
  );
}

const players = (table: string): Runner[] =>
  table.split(',').map((entry) => {
    const [code = '', full = ''] = entry.trim().split(':');
    return { code, city: full, full };
  });

const NFL_MVP = players(
  'JALL:Josh Allen,LJAC:Lamar Jackson,PMAH:Patrick Mahomes,JBUR:Joe Burrow,DMAY:Drake Maye,JHUR:Jalen Hurts,JDAN:Jayden Daniels,CWIL:Caleb Williams,JHER:Justin Herbert,BNIX:Bo Nix,JLOV:Jordan Love,DPRE:Dak Prescott,CSTR:C.J. Stroud,AJEA:Ashton Jeanty,MSTA:Matthew Stafford,BPUR:Brock Purdy',
);
const NBA_MVP = players(
  'SGIL:Shai Gilgeous-Alexander,NJOK:Nikola Jokić,LDON:Luka Dončić,VWEM:Victor Wembanyama,GANT:Giannis Antetokounmpo,AEDW:Anthony Edwards,CCUN:Cade Cunningham,JTAT:Jayson Tatum,DMIT:Donovan Mitchell,JBRU:Jalen Brunson,TMAX:Tyrese Maxey,CFLA:Cooper Flagg',
);
const NHL_HART = players(
  'CMCD:Connor McDavid,NMAC:Nathan MacKinnon,LDRA:Leon Draisaitl,NKUC:Nikita Kucherov,CMAK:Cale Makar,AMAT:Auston Matthews,KKAP:Kirill Kaprizov,JHUG:Jack Hughes,QHUG:Quinn Hughes,MCEL:Macklin Celebrini,CBED:Connor Bedard,MRAN:Mikko Rantanen',
);

export const FUTURES: readonly Future[] = [
  // The champion of the next season, on venue B only: the same teams, another season. The simulator
  // made up the series ticker.
  champion('nba', 'KXNBANEXT', '', '', '{next} NBA Champion', '{next} NBA Finals', { on: 'b' }),
  champion(
    'nfl',
    'KXSB',
    '{year} Pro Football Champion',
    '{year} Pro Football Championship',
    'Super Bowl Champion {year}',
    'Super Bowl {year}',
  ),
  champion(
    'nba',
    'KXNBA',
    '{year} Pro Basketball Champion',
    '{year} Pro Basketball Finals',
    '{year} NBA Champion',
    '{year} NBA Finals',
  ),
  champion(
    'nhl',
    'KXNHL',
    'Stanley Cup® Champion?',
    '{year} Stanley Cup Finals',
    '{year} NHL Stanley Cup Champion',
    '{year} NHL Stanley Cup',
  ),
  champion(
    'mlb',
    'KXMLB',
    'Pro Baseball Champion',
    '{year} Pro Baseball Championship',
    'World Series Champion {year}',
    '{year} World Series',
  ),
  champion(
    'wnba',
    'KXWNBA',
    "{year} Women's Pro Basketball Champion",
    "{year} Women's Pro Basketball Finals",
    '{year} WNBA Champion',
    '{year} WNBA Finals',
  ),
  champion(
    'epl',
    'KXPREMIERLEAGUE',
    'English Premier League Winner?',
    '{season} English Premier League',
    'English Premier League Winner {season}',
    '{season} English Premier League',
    { augmented: true },
  ),
  champion('lal', 'KXLALIGA', 'La Liga Winner', '{season} La Liga', 'La Liga Winner {season}', '{season} La Liga', {
    augmented: true,
  }),
  champion(
    'sea',
    'KXSERIEA',
    'Serie A Winner',
    '{season} Serie A',
    'Serie A League Winner {season}',
    '{season} Serie A',
  ),
  champion(
    'bun',
    'KXBUNDESLIGA',
    'Bundesliga Winner',
    '{season} Bundesliga',
    'Bundesliga Winner {season}',
    '{season} Bundesliga',
  ),
  champion('mls', 'KXMLSCUP', 'MLS Cup Winner', '{year} MLS Cup', 'MLS Cup Winner {year}', '{year} MLS Cup'),
  part('nfl', 'KXNFLAFCCHAMP', [0, 16], 'AFC Conference', 'AFC Championship'),
  part('nfl', 'KXNFLNFCCHAMP', [16, 16], 'NFC Conference', 'NFC Championship'),
  part('nba', 'KXNBAEAST', [0, 15], 'Eastern Conference', 'NBA Eastern Conference Finals'),
  part('nba', 'KXNBAWEST', [15, 15], 'Western Conference', 'NBA Western Conference Finals'),
  part('nhl', 'KXNHLEAST', [0, 16], 'Eastern Conference', 'NHL Eastern Conference Finals'),
  part('nhl', 'KXNHLWEST', [16, 16], 'Western Conference', 'NHL Western Conference Finals', 'b'),
  part('mlb', 'KXMLBAL', [0, 15], 'American League', 'ALCS', 'a'),
  part('mlb', 'KXMLBNL', [15, 15], 'National League', 'NLCS'),
  part('nfl', 'KXNFLAFCEAST', [0, 4], 'AFC East', 'AFC East'),
  part('nfl', 'KXNFLAFCNORTH', [4, 4], 'AFC North', 'AFC North', 'b'),
  part('nfl', 'KXNFLNFCEAST', [16, 4], 'NFC East', 'NFC East', 'a'),
  part('nba', 'KXNBAATLANTIC', [0, 5], 'Atlantic Division', 'NBA Atlantic Division'),
  part('mlb', 'KXMLBALEAST', [0, 5], 'AL East', 'AL East'),
  future(
    'nfl',
    'KXNFLMVP',
    null,
    ['MVP Winner?', 'Pro Football AP Regular Season MVP in the {season} season', 'Awards'],
    ['NFL MVP {season}', 'nfl-mvp-{season}', '{season} NFL MVP'],
    {
      targetKey: 'football_player',
      runners: NFL_MVP,
      augmented: true,
      deathClause: 'rules_secondary',
    },
  ),
  future(
    'nba',
    'KXNBAMVP',
    null,
    ['Pro Basketball MVP?', 'Pro Basketball Regular Season MVP in the {season} season', 'Awards'],
    ['NBA MVP {season}', 'nba-mvp-{season}', '{season} NBA MVP'],
    {
      targetKey: 'basketball_player',
      runners: NBA_MVP,
      augmented: true,
    },
  ),
  future(
    'nhl',
    'KXNHLHART',
    null,
    ['Hart Memorial Trophy Winner?', '{season} Hart Memorial Trophy', 'Awards'],
    ['NHL Hart Memorial Trophy {season}', 'nhl-hart-memorial-trophy-{season}', '{season} Hart Memorial Trophy'],
    {
      targetKey: 'hockey_player',
      runners: NHL_HART,
      augmented: true,
      deathClause: 'important_info',
    },
  ),
];

const CHESS_CANDIDATES = players(
  'FCAR:Fabiano Caruana,AGIR:Anish Giri,WYI:Wei Yi,JSIN:Javokhir Sindarov,MBLU:Matthias Blübaum,AESI:Andrey Esipenko,NABD:Nodirbek Abdusattorov,VKEY:Vincent Keymer',
);

/**
 * A race whose runners are not in the product's registry. It is not in FUTURES, because its league
 * is not in LEAGUES. Both venues print the same names.
 */
export const UNREGISTERED_FUTURES: readonly Future[] = [
  {
    league: 'chess',
    series: 'KXCHESSCANDIDATES',
    targetKey: 'chess_player',
    site: 'https://www.fide.com/',
    runners: CHESS_CANDIDATES,
    a: {
      title: '{year} Chess Candidates Winner?',
      prize: '{year} FIDE Candidates Tournament',
      competition: 'Chess Candidates',
      scope: 'Future',
    },
    b: {
      title: 'Chess Candidates Winner {year}',
      slug: 'chess-candidates-winner-{year}',
      prize: '{year} FIDE Candidates Tournament',
    },
    tags: [['102932', 'Chess', 'chess']],
    augmented: false,
    on: 'both',
    deathClause: null,
  },
];
