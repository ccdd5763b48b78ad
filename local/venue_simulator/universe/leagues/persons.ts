import { type League, type Team, teamsOf } from './league.ts';
import { tennisScoring } from './scoring.ts';

/**
 * One line per player: venue A's code | family name as venue A prints it | full name. Venue B's
 * code is three letters of each name.
 */
function personsOf(table: string): Team[] {
  return teamsOf(table).map((person) => {
    const [given = '', ...family] = person.full.split(' ');
    const plain = (name: string) =>
      name
        .normalize('NFD')
        .replace(/[^a-zA-Z]/g, '')
        .toLowerCase()
        .slice(0, 3);
    return { ...person, nick: person.full, short: plain(given) + plain(family.join('')) };
  });
}

const MEN = `
ALC|Alcaraz|Carlos Alcaraz
SIN|Sinner|Jannik Sinner
DJO|Djokovic|Novak Djokovic
FRI|Fritz|Taylor Fritz
DRA|Draper|Jack Draper
SHE|Shelton|Ben Shelton
MUS|Musetti|Lorenzo Musetti
RUN|Rune|Holger Rune
DEM|de Minaur|Alex de Minaur
UGO|Ugo Carabelli|Camilo Ugo Carabelli
TIA|Tiafoe|Frances Tiafoe
PAU|Paul|Tommy Paul
HUR|Hurkacz|Hubert Hurkacz
OPE|Opelka|Reilly Opelka
ETC|Etcheverry|Tomas Martin Etcheverry
DAV|Davidovich Fokina|Alejandro Davidovich Fokina
AUG|Auger-Aliassime|Felix Auger-Aliassime
BUB|Bublik|Alexander Bublik
FOK|Fils|Arthur Fils
LEH|Lehecka|Jiri Lehecka`;

const WOMEN = `
SAB|Sabalenka|Aryna Sabalenka
SWI|Swiatek|Iga Swiatek
GAU|Gauff|Coco Gauff
PEG|Pegula|Jessica Pegula
KEY|Keys|Madison Keys
RYB|Rybakina|Elena Rybakina
PAO|Paolini|Jasmine Paolini
ZHE|Zheng|Qinwen Zheng
AND|Andreeva|Mirra Andreeva
BAD|Badosa|Paula Badosa
NAV|Navarro|Emma Navarro
KAS|Kasatkina|Daria Kasatkina
SHN|Shnaider|Diana Shnaider
STE|Stephens|Sloane Stephens
HAD|Haddad Maia|Beatriz Haddad Maia
MUC|Muchova|Karolina Muchova
VEK|Vekic|Donna Vekic
OST|Ostapenko|Jelena Ostapenko
SVI|Svitolina|Elina Svitolina
ARA|Arango|Emiliana Arango`;

const FIGHTERS = `
MCG|McGregor|Conor McGregor
HOL|Holloway|Max Holloway
TOP|Topuria|Ilia Topuria
GAE|Gaethje|Justin Gaethje
MAK|Makhachev|Islam Makhachev
OLI|Oliveira|Charles Oliveira
PER|Pereira|Alex Pereira
ANK|Ankalaev|Magomed Ankalaev
ASP|Aspinall|Tom Aspinall
GAN|Gane|Ciryl Gane
VOL|Volkanovski|Alexander Volkanovski
LOP|Lopes|Diego Lopes
PIM|Pimblett|Paddy Pimblett
CHI|Chimaev|Khamzat Chimaev
MOI|Moicano|Renato Moicano
DUN|Duncan|Chris Duncan`;

const SPORTS = ['1', 'Sports', 'sports'] as const;
const GAMES = ['100639', 'Games', 'games'] as const;

function tennis(key: 'atp' | 'wta', series: string, competition: string, table: string, tagId: string): League {
  return {
    key,
    series,
    seriesTitle: `${key.toUpperCase()} Match`,
    competition,
    title: 'vs',
    gamePhrase: `professional tennis match in the 2026 ${competition} Round Of 16`,
    rules: 'tennis',
    targetKey: 'tennis_competitor',
    sources: [{ name: key.toUpperCase(), url: `https://www.${key === 'atp' ? 'atptour' : 'wtatennis'}.com/` }],
    tag: 'Tennis',
    milestone: 'tennis_tournament_singles',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 300,
    closeHours: 336,
    prefix: key,
    bName: key.toUpperCase(),
    bSeries: `${key}-2026`,
    resolution: `https://www.${key === 'atp' ? 'atptour' : 'wtatennis'}.com/`,
    tags: [SPORTS, ['864', 'Tennis', 'tennis'], [tagId, key.toUpperCase(), key], GAMES],
    endRule: 'week',
    ways: 2,
    order: 'home',
    gameMinutes: 110,
    scoring: tennisScoring(`KX${key.toUpperCase()}`),
    persons: true,
    teams: personsOf(table),
  };
}

export const PERSONS: readonly League[] = [
  tennis('atp', 'KXATPMATCH', 'ATP Hamburg', MEN, '101232'),
  tennis('wta', 'KXWTAMATCH', 'WTA Rome', WOMEN, '102123'),
  {
    key: 'ufc',
    series: 'KXUFCFIGHT',
    seriesTitle: 'UFC Fight',
    competition: 'UFC',
    title: 'vs',
    gamePhrase: 'professional MMA fight',
    rules: 'mma',
    targetKey: 'mma_competitor',
    sources: [{ name: 'UFC', url: 'https://www.ufc.com/' }],
    tag: 'MMA',
    milestone: 'mma_fight',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 300,
    closeHours: 336,
    prefix: 'ufc',
    bName: 'UFC',
    bSeries: 'ufc',
    resolution: 'https://www.ufc.com/',
    tags: [SPORTS, ['279', 'UFC', 'ufc'], GAMES],
    endRule: 'start',
    ways: 2,
    order: 'home',
    gameMinutes: 45,
    scoring: null,
    persons: true,
    teams: personsOf(FIGHTERS),
  },
];

/** The second tier of the tour as venue A lists it. */
export function challengerOf(league: League): League {
  const competition = 'ATP Challenger Istanbul';
  return {
    ...league,
    series: 'KXATPCHALLENGERMATCH',
    competition,
    gamePhrase: `professional tennis match in the 2026 ${competition} Round Of 16`,
  };
}

/** Men's doubles. Only venue A lists them. */
export function doublesOf(league: League): League {
  return {
    ...league,
    series: 'KXATPDOUBLES',
    seriesTitle: 'ATP Doubles Match',
    milestone: 'tennis_tournament_doubles',
    scoring: null,
  };
}

/**
 * Other persons with the same family name. They play on one venue in place of the listed person, or
 * against them.
 */
const NAMESAKES: Readonly<Record<string, string>> = {
  Alcaraz: 'Jaime Alcaraz',
  Fritz: 'Oscar Fritz',
  Paul: 'Jakub Paul',
  Sabalenka: 'Marina Sabalenka',
  Zheng: 'Wushuang Zheng',
  Andreeva: 'Erika Andreeva',
  Navarro: 'Ana Navarro',
  Oliveira: 'Saimon Oliveira',
  Duncan: 'Robert Duncan',
};

const NAMESAKE_TEAMS = new Map<string, Team>();
for (const league of PERSONS) {
  for (const { code, city } of league.teams) {
    const full = NAMESAKES[city];
    const [kin] = full ? personsOf(`${code.slice(0, 2)}${full[0]}|${city}|${full}`) : [];
    if (kin) NAMESAKE_TEAMS.set(city, kin);
  }
}

/** The other person with this family name, or null. */
export const namesakeOf = ({ city }: Team): Team | null => NAMESAKE_TEAMS.get(city) ?? null;
