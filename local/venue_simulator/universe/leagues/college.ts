import { type League, type Team, teamsOf } from './league.ts';
import { CBB_SCORING, CFB_SCORING } from './scoring.ts';

/**
 * One line per school: venue A's code | venue A's name | full name with nickname | venue B's label
 * | venue B's code.
 */
const FOOTBALL = `
MSU|Michigan St.|Michigan State Spartans|Michigan State|mchst
ND|Notre Dame|Notre Dame Fighting Irish|Notre Dame|nd
LSU|LSU|LSU Tigers|LSU|lsu
MISS|Ole Miss|Ole Miss Rebels|Ole Miss|miss
OSU|Ohio St.|Ohio State Buckeyes|Ohio State|ohiost
MICH|Michigan|Michigan Wolverines|Michigan|mich
UGA|Georgia|Georgia Bulldogs|Georgia|uga
ALA|Alabama|Alabama Crimson Tide|Alabama|ala
TEX|Texas|Texas Longhorns|Texas|tx
TXAM|Texas A&M|Texas A&M Aggies|Texas A&M|txam
USC|USC|USC Trojans|USC|usc
SCAR|South Carolina|South Carolina Gamecocks|South Carolina|scar
MIA|Miami (FL)|Miami Hurricanes|Miami|mia
MOH|Miami (OH)|Miami (OH) RedHawks|Miami (OH)|miaoh
PSU|Penn St.|Penn State Nittany Lions|Penn State|pennst
ORE|Oregon|Oregon Ducks|Oregon|oregon`;

const BASKETBALL = `
DUKE|Duke|Duke Blue Devils|Duke|duke
UNC|North Carolina|North Carolina Tar Heels|North Carolina|unc
KU|Kansas|Kansas Jayhawks|Kansas|kan
UK|Kentucky|Kentucky Wildcats|Kentucky|uk
CONN|UConn|UConn Huskies|UConn|uconn
GONZ|Gonzaga|Gonzaga Bulldogs|Gonzaga|gonz
ARIZ|Arizona|Arizona Wildcats|Arizona|arz
HOU|Houston|Houston Cougars|Houston|hou
PUR|Purdue|Purdue Boilermakers|Purdue|pur
TENN|Tennessee|Tennessee Volunteers|Tennessee|tenn
BAY|Baylor|Baylor Bears|Baylor|bayl
VILL|Villanova|Villanova Wildcats|Villanova|vill
UCLA|UCLA|UCLA Bruins|UCLA|ucla
IND|Indiana|Indiana Hoosiers|Indiana|ind
SYR|Syracuse|Syracuse Orange|Syracuse|syra
LOU|Louisville|Louisville Cardinals|Louisville|lou`;

function college(
  shape: Pick<League, 'key' | 'series' | 'competition' | 'gamePhrase' | 'prefix' | 'bName' | 'scoring' | 'targetKey'>,
  tagId: string,
  teams: readonly Team[],
): League {
  return {
    ...shape,
    seriesTitle: `${shape.competition} Game`,
    title: 'vs',
    rules: 'college',
    sources: [{ name: 'NCAA', url: 'https://www.ncaa.com/' }],
    tag: 'College',
    milestone: `${shape.key}_game`,
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 300,
    closeHours: 48,
    bSeries: `${shape.prefix}-2026`,
    resolution: 'https://www.ncaa.com/',
    tags: [
      ['1', 'Sports', 'sports'],
      [tagId, shape.bName, shape.prefix],
      ['100639', 'Games', 'games'],
    ],
    endRule: 'start',
    ways: 2,
    order: 'away',
    gameMinutes: 170,
    teams,
  };
}

export const COLLEGE: readonly League[] = [
  college(
    {
      key: 'cfb',
      series: 'KXNCAAFGAME',
      competition: 'NCAA Football',
      gamePhrase: 'college football game',
      prefix: 'cfb',
      bName: 'CFB',
      scoring: CFB_SCORING,
      targetKey: 'football_team',
    },
    '100351',
    teamsOf(FOOTBALL),
  ),
  college(
    {
      key: 'cbb',
      series: 'KXNCAAMBGAME',
      competition: 'College Basketball (M)',
      gamePhrase: "men's college basketball game",
      prefix: 'cbb',
      bName: 'CBB',
      scoring: CBB_SCORING,
      targetKey: 'basketball_team',
    },
    '101952',
    teamsOf(BASKETBALL),
  ),
];

/** The women's league of the same schools on venue A: another game under the same names. */
export function womenOf(league: League): League {
  return {
    ...league,
    series: 'KXNCAAWBGAME',
    competition: 'College Basketball (W)',
    gamePhrase: "women's college basketball game",
  };
}
