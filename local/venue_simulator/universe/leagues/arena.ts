import { type League, teamsOf } from './league.ts';
import { mapScoring } from './scoring.ts';

/** Esports and cricket: matches of several maps, and of two innings. */

const LCK = `
T1|T1|T1||t1
GEN|Gen.G|Gen.G||geng
HLE|Hanwha Life Esports|Hanwha Life Esports||hle
DK|Dplus KIA|Dplus KIA||dkp
KT|KT Rolster|KT Rolster||kt
BFX|BNK FearX|BNK FearX||fox
NS|Nongshim RedForce|Nongshim RedForce||ns
DRX|DRX|DRX||drx
BRO|OKSavingsBank BRION|OKSavingsBank BRION||obk
DNS|DN SOOPers|DN SOOPers||dnf`;

const CS2 = `
VIT|Vitality|Vitality||vit
NAVI|Natus Vincere|Natus Vincere||navi
FAZE|FaZe|FaZe||faze
SPIRIT|Spirit|Spirit||spr
MOUZ|MOUZ|MOUZ||mouz
G2|G2|G2||g2
FURIA|FURIA|FURIA||fur
FALCONS|Falcons|Falcons||fal
MGLZ|The MongolZ|The MongolZ||mglz
AUR|Aurora|Aurora||aur
ASTR|Astralis|Astralis||ast
HEROIC|HEROIC|HEROIC||her
LIQUID|Liquid|Liquid||liq
PAIN|paiN|paiN||pain`;

const IPL = `
CSK|Chennai Super Kings|Chennai Super Kings||che
MI|Mumbai Indians|Mumbai Indians||mum
RCB|Royal Challengers Bengaluru|Royal Challengers Bengaluru||roy
KKR|Kolkata Knight Riders|Kolkata Knight Riders||kol
RR|Rajasthan Royals|Rajasthan Royals||raj
SRH|Sunrisers Hyderabad|Sunrisers Hyderabad||sun
DC|Delhi Capitals|Delhi Capitals||del
GT|Gujarat Titans|Gujarat Titans||guj
LSG|Lucknow Super Giants|Lucknow Super Giants||luc
PBKS|Punjab Kings|Punjab Kings||pun`;

type Shape = Pick<
  League,
  'key' | 'series' | 'competition' | 'prefix' | 'bName' | 'resolution' | 'tag' | 'gamePhrase'
> & {
  tagId: string;
  table: string;
};

function arena(
  shape: Shape,
  more: Pick<League, 'rules' | 'scoring' | 'gameMinutes' | 'endRule'> & Partial<League>,
): League {
  const { tagId, table, ...rest } = shape;
  return {
    ...rest,
    seriesTitle: `${shape.competition} Match`,
    title: 'vs',
    targetKey: `${shape.key}_team`,
    sources: [{ name: shape.bName, url: shape.resolution }],
    milestone: `${shape.key}_match`,
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 300,
    closeHours: 336,
    bSeries: `${shape.prefix}-2026`,
    tags: [
      ['1', 'Sports', 'sports'],
      [tagId, shape.bName, shape.prefix],
      ['100639', 'Games', 'games'],
    ],
    ways: 2,
    order: 'home',
    timed: true,
    teams: teamsOf(table),
    ...more,
  };
}

export const ARENA: readonly League[] = [
  arena(
    {
      key: 'lol',
      series: 'KXLOLGAME',
      competition: 'League of Legends',
      gamePhrase: 'League of Legends match',
      prefix: 'lol',
      bName: 'LoL',
      resolution: 'https://lolesports.com/',
      tag: 'Esports',
      tagId: '65',
      table: LCK,
    },
    { rules: 'esports', scoring: mapScoring('KXLOL'), gameMinutes: 110, endRule: 'start' },
  ),
  arena(
    {
      key: 'cs2',
      series: 'KXCS2GAME',
      competition: 'CS2',
      gamePhrase: 'Counter-Strike 2 match',
      prefix: 'cs2',
      bName: 'Counter-Strike',
      resolution: 'https://hltv.org',
      tag: 'Esports',
      tagId: '100780',
      table: CS2,
    },
    { rules: 'esports', scoring: mapScoring('KXCS2'), gameMinutes: 140, endRule: 'start' },
  ),
  arena(
    {
      key: 'ipl',
      series: 'KXIPLGAME',
      competition: 'IPL',
      gamePhrase: 'Indian Premier League cricket match',
      prefix: 'cricipl',
      bName: 'Indian Premier League',
      resolution: 'https://www.iplt20.com/',
      tag: 'Cricket',
      tagId: '102813',
      table: IPL,
    },
    { rules: 'cricket', scoring: null, gameMinutes: 210, endRule: 'week', turned: true },
  ),
];
