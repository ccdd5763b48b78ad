import { type League, teamsOf } from './league.ts';
import { soccerScoring } from './scoring.ts';

const EPL = `
ARS|Arsenal|Arsenal FC
AVL|Aston Villa|Aston Villa FC||ast
BOU|Bournemouth|AFC Bournemouth
BRE|Brentford|Brentford FC
BRI|Brighton|Brighton & Hove Albion FC
CHE|Chelsea|Chelsea FC
COV|Coventry|Coventry City FC
CRY|Crystal Palace|Crystal Palace FC
EVE|Everton|Everton FC
FUL|Fulham|Fulham FC
HUL|Hull City|Hull City AFC
IPS|Ipswich Town|Ipswich Town FC
LEE|Leeds United|Leeds United FC
LFC|Liverpool|Liverpool FC||liv
MCI|Manchester City|Manchester City FC||mac
MUN|Manchester United|Manchester United FC||mun
NEW|Newcastle|Newcastle United FC
NFO|Nottingham|Nottingham Forest FC||not
SUN|Sunderland|Sunderland AFC
TOT|Tottenham|Tottenham Hotspur FC`;

const LALIGA = `
ALA|Alaves|Deportivo Alavés
ATH|Bilbao|Athletic Club||bil
ATM|Atletico|Club Atlético de Madrid||atm1
BAR|Barcelona|FC Barcelona||bar1
RBB|Real Betis|Real Betis Balompié||bet
RCC|Celta Vigo|RC Celta de Vigo||cel
DEP|Deportivo|RC Deportivo de La Coruña
ELC|Elche|Elche CF
ESP|Espanyol|RCD Espanyol de Barcelona
GET|Getafe|Getafe CF
LEV|Levante|Levante UD
MAL|Malaga|Málaga CF
OSA|Osasuna|CA Osasuna
RAC|Racing Santander|Real Racing Club de Santander||rac1
RVC|Rayo Vallecano|Rayo Vallecano de Madrid||ray
RMA|Real Madrid|Real Madrid CF||mad
RSO|Real Sociedad|Real Sociedad de Fútbol||soc
SEV|Sevilla|Sevilla FC
VAL|Valencia|Valencia CF
VIL|Villarreal|Villarreal CF`;

const SERIEA = `
ACM|AC Milan|AC Milan||mil
ATA|Atalanta|Atalanta BC
BFC|Bologna|Bologna FC 1909||bol
CAG|Cagliari|Cagliari Calcio
COM|Como|Como 1907
FIO|Fiorentina|ACF Fiorentina
FRO|Frosinone|Frosinone Calcio
GEN|Genoa|Genoa CFC
INT|Inter|FC Internazionale Milano
JUV|Juventus|Juventus FC
LAZ|Lazio|SS Lazio
LEC|Lecce|US Lecce
MZA|Monza|AC Monza||mnz
NAP|Napoli|SSC Napoli
PAR|Parma|Parma Calcio 1913
ROM|Roma|AS Roma
SAS|Sassuolo|US Sassuolo Calcio
TOR|Torino|Torino FC
UDI|Udinese|Udinese Calcio
VEN|Venezia|Venezia FC`;

const BUNDESLIGA = `
FCA|Augsburg|FC Augsburg||aug
BMU|Bayern Munich|FC Bayern München||bay
BVB|Dortmund|BV Borussia 09 Dortmund||dor
BMG|Monchengladbach|Borussia Mönchengladbach||gla
SVE|Elversberg|SV Elversberg||elv
SGE|Frankfurt|Eintracht Frankfurt||ein
SCF|Freiburg|SC Freiburg||fre
HSV|Hamburg|Hamburger SV
TSG|Hoffenheim|TSG 1899 Hoffenheim||hof
KOE|Cologne|1. FC Köln||kol
RBL|Leipzig|RB Leipzig||rbl1
B04|Leverkusen|Bayer 04 Leverkusen||lev
M05|Mainz|1. FSV Mainz 05||mai
SCP|Paderborn|SC Paderborn 07||pad
S04|Schalke|FC Schalke 04||sch
VFB|Stuttgart|VfB Stuttgart||stu
FCU|Union Berlin|1. FC Union Berlin||uni
SVW|Werder Bremen|SV Werder Bremen||wer`;

const MLS = `
ATL|Atlanta|Atlanta United FC
ATX|Austin|Austin FC||aus
CLT|Charlotte|Charlotte FC||cha
CHI|Chicago|Chicago Fire FC
CIN|Cincinnati|FC Cincinnati
COL|Colorado|Colorado Rapids SC
CLB|Columbus|Columbus Crew SC||clb
DC|DC United|D.C. United SC||dcu
DAL|Dallas|FC Dallas
HOU|Houston|Houston Dynamo FC
LAFC|Los Angeles F|Los Angeles FC||laf
LAG|Los Angeles G|LA Galaxy||lag
MIA|Miami|Inter Miami CF
MIN|Minnesota|Minnesota United FC
MTL|Montreal|CF Montréal||mtl
NSH|Nashville|Nashville SC||nas
NE|New England|New England Revolution||ner
NYRB|New York RB|New York Red Bulls||nyr
NYC|New York City|New York City FC
ORL|Orlando|Orlando City SC
PHI|Philadelphia|Philadelphia Union
POR|Portland|Portland Timbers
RSL|Salt Lake|Real Salt Lake||rsl
SD|San Diego FC|San Diego FC||sdi
SJ|San Jose|San Jose Earthquakes||sje
SEA|Seattle|Seattle Sounders FC
SKC|Kansas City|Sporting Kansas City||skc
STL|St. Louis|St. Louis City SC
TOR|Toronto|Toronto FC
VAN|Vancouver|Vancouver Whitecaps FC`;

type Shape = {
  key: string;
  series: string;
  competition: string;
  phrase: string;
  prefix: string;
  source: string;
  site: string;
  tagId: string;
  slug: string;
  table: string;
};

export function soccer(shape: Shape): League {
  return {
    key: shape.key,
    series: shape.series,
    seriesTitle: `${shape.competition} Game`,
    competition: shape.competition,
    title: 'vs',
    gamePhrase: shape.phrase,
    rules: 'soccer',
    targetKey: 'soccer_team',
    sources: [{ name: shape.source, url: shape.site }],
    tag: 'Soccer',
    milestone: 'soccer_tournament_multi_leg',
    feeMultiplier: 1,
    feeType: 'quadratic',
    settlementSeconds: 30,
    closeHours: 54,
    prefix: shape.prefix,
    bName: shape.competition,
    bSeries: `${shape.slug}-2026`,
    resolution: shape.site,
    tags: [
      ['1', 'Sports', 'sports'],
      ['100350', 'Soccer', 'soccer'],
      [shape.tagId, shape.competition, shape.slug],
      ['100639', 'Games', 'games'],
    ],
    endRule: 'start',
    ways: 3,
    order: 'home',
    gameMinutes: 115,
    scoring: soccerScoring(shape.series.replace(/GAME$/, '')),
    teams: teamsOf(shape.table),
  };
}

export const SOCCER: readonly League[] = [
  soccer({
    key: 'epl',
    series: 'KXEPLGAME',
    competition: 'EPL',
    phrase: 'professional English Premier League soccer game',
    prefix: 'epl',
    source: 'Premier League',
    site: 'https://www.premierleague.com/',
    tagId: '306',
    slug: 'premier-league',
    table: EPL,
  }),
  soccer({
    key: 'lal',
    series: 'KXLALIGAGAME',
    competition: 'La Liga',
    phrase: 'professional La Liga soccer game',
    prefix: 'lal',
    source: 'La Liga',
    site: 'https://www.laliga.com/',
    tagId: '780',
    slug: 'la-liga',
    table: LALIGA,
  }),
  soccer({
    key: 'sea',
    series: 'KXSERIEAGAME',
    competition: 'Serie A',
    phrase: 'professional Serie A soccer game',
    prefix: 'sea',
    source: 'Serie A',
    site: 'https://www.legaseriea.it/',
    tagId: '101962',
    slug: 'serie-a',
    table: SERIEA,
  }),
  soccer({
    key: 'bun',
    series: 'KXBUNDESLIGAGAME',
    competition: 'Bundesliga',
    phrase: 'professional Bundesliga soccer game',
    prefix: 'bun',
    source: 'Bundesliga',
    site: 'https://www.bundesliga.com/',
    tagId: '1494',
    slug: 'bundesliga',
    table: BUNDESLIGA,
  }),
  soccer({
    key: 'mls',
    series: 'KXMLSGAME',
    competition: 'MLS',
    phrase: 'professional MLS soccer game',
    prefix: 'mls',
    source: 'MLS',
    site: 'https://www.mlssoccer.com/',
    tagId: '100100',
    slug: 'mls',
    table: MLS,
  }),
];
