import { type League, teamsOf } from './league.ts';
import { MLB_SCORING, NBA_SCORING, NFL_SCORING, NHL_SCORING, WNBA_SCORING } from './scoring.ts';

/** Teams are in division order, so that outrights select conferences and divisions by index. */
const NFL = `
BUF|Buffalo|Buffalo Bills|Bills
MIA|Miami|Miami Dolphins|Dolphins
NE|New England|New England Patriots|Patriots
NYJ|New York J|New York Jets|Jets
BAL|Baltimore|Baltimore Ravens|Ravens
CIN|Cincinnati|Cincinnati Bengals|Bengals
CLE|Cleveland|Cleveland Browns|Browns
PIT|Pittsburgh|Pittsburgh Steelers|Steelers
HOU|Houston|Houston Texans|Texans
IND|Indianapolis|Indianapolis Colts|Colts
JAC|Jacksonville|Jacksonville Jaguars|Jaguars|jax
TEN|Tennessee|Tennessee Titans|Titans
DEN|Denver|Denver Broncos|Broncos
KC|Kansas City|Kansas City Chiefs|Chiefs
LV|Las Vegas|Las Vegas Raiders|Raiders
LAC|Los Angeles C|Los Angeles Chargers|Chargers
DAL|Dallas|Dallas Cowboys|Cowboys
NYG|New York G|New York Giants|Giants
PHI|Philadelphia|Philadelphia Eagles|Eagles
WAS|Washington|Washington Commanders|Commanders
CHI|Chicago|Chicago Bears|Bears
DET|Detroit|Detroit Lions|Lions
GB|Green Bay|Green Bay Packers|Packers
MIN|Minnesota|Minnesota Vikings|Vikings
ATL|Atlanta|Atlanta Falcons|Falcons
CAR|Carolina|Carolina Panthers|Panthers
NO|New Orleans|New Orleans Saints|Saints
TB|Tampa Bay|Tampa Bay Buccaneers|Buccaneers
ARI|Arizona|Arizona Cardinals|Cardinals
LAR|Los Angeles R|Los Angeles Rams|Rams|la
SF|San Francisco|San Francisco 49ers|49ers
SEA|Seattle|Seattle Seahawks|Seahawks`;

const NBA = `
BOS|Boston|Boston Celtics|Celtics
BKN|Brooklyn|Brooklyn Nets|Nets
NYK|New York|New York Knicks|Knicks
PHI|Philadelphia|Philadelphia 76ers|76ers
TOR|Toronto|Toronto Raptors|Raptors
CHI|Chicago|Chicago Bulls|Bulls
CLE|Cleveland|Cleveland Cavaliers|Cavaliers
DET|Detroit|Detroit Pistons|Pistons
IND|Indiana|Indiana Pacers|Pacers
MIL|Milwaukee|Milwaukee Bucks|Bucks
ATL|Atlanta|Atlanta Hawks|Hawks
CHA|Charlotte|Charlotte Hornets|Hornets
MIA|Miami|Miami Heat|Heat
ORL|Orlando|Orlando Magic|Magic
WAS|Washington|Washington Wizards|Wizards
DEN|Denver|Denver Nuggets|Nuggets
MIN|Minnesota|Minnesota Timberwolves|Timberwolves
OKC|Oklahoma City|Oklahoma City Thunder|Thunder
POR|Portland|Portland Trail Blazers|Trail Blazers
UTA|Utah|Utah Jazz|Jazz
GSW|Golden State|Golden State Warriors|Warriors
LAC|Los Angeles C|Los Angeles Clippers|Clippers
LAL|Los Angeles L|Los Angeles Lakers|Lakers
PHX|Phoenix|Phoenix Suns|Suns
SAC|Sacramento|Sacramento Kings|Kings
DAL|Dallas|Dallas Mavericks|Mavericks
HOU|Houston|Houston Rockets|Rockets
MEM|Memphis|Memphis Grizzlies|Grizzlies
NOP|New Orleans|New Orleans Pelicans|Pelicans
SAS|San Antonio|San Antonio Spurs|Spurs|sa`;

const NHL = `
BOS|Boston|Boston Bruins|Bruins
BUF|Buffalo|Buffalo Sabres|Sabres
DET|Detroit|Detroit Red Wings|Red Wings
FLA|Florida|Florida Panthers|Panthers
MTL|Montreal|Montreal Canadiens|Canadiens|mon
OTT|Ottawa|Ottawa Senators|Senators
TB|Tampa Bay|Tampa Bay Lightning|Lightning
TOR|Toronto|Toronto Maple Leafs|Maple Leafs
CAR|Carolina|Carolina Hurricanes|Hurricanes
CBJ|Columbus|Columbus Blue Jackets|Blue Jackets
NJ|New Jersey|New Jersey Devils|Devils
NYI|New York I|New York Islanders|Islanders
NYR|New York R|New York Rangers|Rangers
PHI|Philadelphia|Philadelphia Flyers|Flyers
PIT|Pittsburgh|Pittsburgh Penguins|Penguins
WSH|Washington|Washington Capitals|Capitals|was
CHI|Chicago|Chicago Blackhawks|Blackhawks
COL|Colorado|Colorado Avalanche|Avalanche
DAL|Dallas|Dallas Stars|Stars
MIN|Minnesota|Minnesota Wild|Wild
NSH|Nashville|Nashville Predators|Predators
STL|St. Louis|St. Louis Blues|Blues
UTA|Utah|Utah Mammoth|Mammoth
WPG|Winnipeg|Winnipeg Jets|Jets
ANA|Anaheim|Anaheim Ducks|Ducks
CGY|Calgary|Calgary Flames|Flames|cal
EDM|Edmonton|Edmonton Oilers|Oilers
LA|Los Angeles|Los Angeles Kings|Kings
SJ|San Jose|San Jose Sharks|Sharks
SEA|Seattle|Seattle Kraken|Kraken
VAN|Vancouver|Vancouver Canucks|Canucks
VGK|Vegas|Vegas Golden Knights|Golden Knights|las`;

const MLB = `
BAL|Baltimore|Baltimore Orioles|Orioles
BOS|Boston|Boston Red Sox|Red Sox
NYY|New York Y|New York Yankees|Yankees
TB|Tampa Bay|Tampa Bay Rays|Rays
TOR|Toronto|Toronto Blue Jays|Blue Jays
CWS|Chicago WS|Chicago White Sox|White Sox
CLE|Cleveland|Cleveland Guardians|Guardians
DET|Detroit|Detroit Tigers|Tigers
KC|Kansas City|Kansas City Royals|Royals
MIN|Minnesota|Minnesota Twins|Twins
ATH|A's|Athletics|Athletics|oak
HOU|Houston|Houston Astros|Astros
LAA|Los Angeles A|Los Angeles Angels|Angels
SEA|Seattle|Seattle Mariners|Mariners
TEX|Texas|Texas Rangers|Rangers
ATL|Atlanta|Atlanta Braves|Braves
MIA|Miami|Miami Marlins|Marlins
NYM|New York M|New York Mets|Mets
PHI|Philadelphia|Philadelphia Phillies|Phillies
WSH|Washington|Washington Nationals|Nationals
CHC|Chicago C|Chicago Cubs|Cubs
CIN|Cincinnati|Cincinnati Reds|Reds
MIL|Milwaukee|Milwaukee Brewers|Brewers
PIT|Pittsburgh|Pittsburgh Pirates|Pirates
STL|St. Louis|St. Louis Cardinals|Cardinals
AZ|Arizona|Arizona Diamondbacks|Diamondbacks|ari
COL|Colorado|Colorado Rockies|Rockies
LAD|Los Angeles D|Los Angeles Dodgers|Dodgers
SD|San Diego|San Diego Padres|Padres
SF|San Francisco|San Francisco Giants|Giants`;

const WNBA = `
ATL|Atlanta|Atlanta Dream|Dream
CHI|Chicago|Chicago Sky|Sky
CONN|Connecticut|Connecticut Sun|Sun
IND|Indiana|Indiana Fever|Fever
NY|New York|New York Liberty|Liberty|nyl
WSH|Washington|Washington Mystics|Mystics|was
TOR|Toronto|Toronto Tempo|Tempo
DAL|Dallas|Dallas Wings|Wings
GS|Golden State|Golden State Valkyries|Valkyries|gsv
LV|Las Vegas|Las Vegas Aces|Aces|las
LA|Los Angeles|Los Angeles Sparks|Sparks|lax
MIN|Minnesota|Minnesota Lynx|Lynx
PHX|Phoenix|Phoenix Mercury|Mercury|pho
POR|Portland|Portland Fire|Fire
SEA|Seattle|Seattle Storm|Storm`;

const ESPN = { name: 'ESPN', url: 'https://www.espn.com' };
const FOX = { name: 'Fox Sports', url: 'https://www.foxsports.com' };
const governing = (url: string) => ({ name: 'the Governing League', url });
const SPORTS = ['1', 'Sports', 'sports'] as const;
const GAMES = ['100639', 'Games', 'games'] as const;

export const AMERICAN: readonly League[] = [
  {
    key: 'nfl',
    series: 'KXNFLGAME',
    seriesTitle: 'Professional Football Game',
    competition: 'Pro Football',
    title: 'vs',
    gamePhrase: 'professional football game',
    rules: 'nfl',
    targetKey: 'football_team',
    sources: [governing('https://www.nfl.com/')],
    tag: 'Football',
    milestone: 'football_game',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 60,
    closeHours: 48,
    prefix: 'nfl',
    bName: 'NFL',
    bSeries: 'nfl-2026',
    resolution: 'https://www.nfl.com/scores',
    tags: [SPORTS, ['450', 'NFL', 'nfl'], GAMES],
    endRule: 'start',
    ways: 2,
    order: 'away',
    gameMinutes: 190,
    scoring: NFL_SCORING,
    teams: teamsOf(NFL),
  },
  {
    key: 'nba',
    series: 'KXNBAGAME',
    seriesTitle: 'Professional Basketball Game',
    competition: 'Pro Basketball (M)',
    title: 'at',
    gamePhrase: 'professional basketball game',
    rules: 'nfl',
    targetKey: 'basketball_team',
    sources: [ESPN, governing('https://www.nba.com/')],
    tag: 'Basketball',
    milestone: 'basketball_game',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 90,
    closeHours: 48,
    prefix: 'nba',
    bName: 'NBA',
    bSeries: 'nba-2026',
    resolution: 'https://www.nba.com/',
    tags: [SPORTS, ['745', 'NBA', 'nba'], GAMES],
    endRule: 'start',
    ways: 2,
    order: 'away',
    gameMinutes: 150,
    scoring: NBA_SCORING,
    teams: teamsOf(NBA),
  },
  {
    key: 'nhl',
    series: 'KXNHLGAME',
    seriesTitle: 'NHL Game',
    competition: 'NHL',
    title: 'at',
    gamePhrase: 'professional hockey game',
    rules: 'hockey',
    targetKey: 'hockey_team',
    sources: [ESPN, governing('https://www.nhl.com/')],
    tag: 'Hockey',
    milestone: 'hockey_game',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 90,
    closeHours: 48,
    prefix: 'nhl',
    bName: 'NHL',
    bSeries: 'nhl-2026',
    resolution: 'https://www.nhl.com/scores',
    tags: [SPORTS, ['899', 'NHL', 'nhl'], GAMES],
    endRule: 'start',
    ways: 2,
    order: 'away',
    gameMinutes: 155,
    scoring: NHL_SCORING,
    teams: teamsOf(NHL),
  },
  {
    key: 'mlb',
    series: 'KXMLBGAME',
    seriesTitle: 'Professional Baseball Game',
    competition: 'Pro Baseball',
    title: 'vs',
    gamePhrase: 'professional baseball game',
    rules: 'baseball',
    targetKey: 'baseball_team',
    sources: [ESPN, FOX, governing('https://www.mlb.com/')],
    tag: 'Baseball',
    milestone: 'baseball_game',
    feeMultiplier: 0.5,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 120,
    closeHours: 72,
    prefix: 'mlb',
    bName: 'MLB',
    bSeries: 'mlb-2026',
    resolution: 'https://www.mlb.com/',
    tags: [SPORTS, ['100381', 'MLB', 'mlb'], GAMES],
    endRule: 'week',
    ways: 2,
    order: 'away',
    gameMinutes: 170,
    scoring: MLB_SCORING,
    teams: teamsOf(MLB),
  },
  {
    key: 'wnba',
    series: 'KXWNBAGAME',
    seriesTitle: "Women's Professional Basketball Game",
    competition: 'Pro Basketball (W)',
    title: 'vs',
    gamePhrase: "women's Pro Basketball game",
    rules: 'wnba',
    targetKey: 'basketball_team',
    sources: [ESPN, governing('https://www.wnba.com/')],
    tag: 'Basketball',
    milestone: 'basketball_game',
    feeMultiplier: 1,
    feeType: 'quadratic_with_maker_fees',
    settlementSeconds: 90,
    closeHours: 48,
    prefix: 'wnba',
    bName: 'WNBA',
    bSeries: 'wnba-2026',
    resolution: 'https://www.wnba.com/',
    tags: [SPORTS, ['100254', 'WNBA', 'wnba'], GAMES],
    endRule: 'start',
    ways: 2,
    order: 'away',
    gameMinutes: 140,
    scoring: WNBA_SCORING,
    teams: teamsOf(WNBA),
  },
];
