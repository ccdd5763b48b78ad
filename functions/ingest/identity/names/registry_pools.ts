// Written by `npm run registry` from the files of ../registry; do not edit.
import afl from '../registry/afl.json' with { type: 'json' };
import africa from '../registry/africa.json' with { type: 'json' };
import ahl from '../registry/ahl.json' with { type: 'json' };
import argentina from '../registry/argentina.json' with { type: 'json' };
import asia from '../registry/asia.json' with { type: 'json' };
import australia from '../registry/australia.json' with { type: 'json' };
import austria from '../registry/austria.json' with { type: 'json' };
import basketballAmericas from '../registry/basketball_americas.json' with { type: 'json' };
import basketballAsia from '../registry/basketball_asia.json' with { type: 'json' };
import basketballEurope from '../registry/basketball_europe.json' with { type: 'json' };
import basketballOceania from '../registry/basketball_oceania.json' with { type: 'json' };
import belgium from '../registry/belgium.json' with { type: 'json' };
import bolivia from '../registry/bolivia.json' with { type: 'json' };
import brazil from '../registry/brazil.json' with { type: 'json' };
import canada from '../registry/canada.json' with { type: 'json' };
import centralAmerica from '../registry/central_america.json' with { type: 'json' };
import cfl from '../registry/cfl.json' with { type: 'json' };
import chile from '../registry/chile.json' with { type: 'json' };
import china from '../registry/china.json' with { type: 'json' };
import college from '../registry/college.json' with { type: 'json' };
import colombia from '../registry/colombia.json' with { type: 'json' };
import concacaf from '../registry/concacaf.json' with { type: 'json' };
import conmebol from '../registry/conmebol.json' with { type: 'json' };
import cricket from '../registry/cricket.json' with { type: 'json' };
import croatia from '../registry/croatia.json' with { type: 'json' };
import cs2 from '../registry/cs2.json' with { type: 'json' };
import czechia from '../registry/czechia.json' with { type: 'json' };
import del from '../registry/del.json' with { type: 'json' };
import denmark from '../registry/denmark.json' with { type: 'json' };
import dota2 from '../registry/dota2.json' with { type: 'json' };
import ecuador from '../registry/ecuador.json' with { type: 'json' };
import egypt from '../registry/egypt.json' with { type: 'json' };
import england from '../registry/england.json' with { type: 'json' };
import esports from '../registry/esports.json' with { type: 'json' };
import europeEast from '../registry/europe_east.json' with { type: 'json' };
import france from '../registry/france.json' with { type: 'json' };
import germany from '../registry/germany.json' with { type: 'json' };
import greece from '../registry/greece.json' with { type: 'json' };
import gulf from '../registry/gulf.json' with { type: 'json' };
import hockeyCzechia from '../registry/hockey_czechia.json' with { type: 'json' };
import hockeySwitzerland from '../registry/hockey_switzerland.json' with { type: 'json' };
import israel from '../registry/israel.json' with { type: 'json' };
import italy from '../registry/italy.json' with { type: 'json' };
import japan from '../registry/japan.json' with { type: 'json' };
import kbo from '../registry/kbo.json' with { type: 'json' };
import khl from '../registry/khl.json' with { type: 'json' };
import korea from '../registry/korea.json' with { type: 'json' };
import liiga from '../registry/liiga.json' with { type: 'json' };
import lmb from '../registry/lmb.json' with { type: 'json' };
import lol from '../registry/lol.json' with { type: 'json' };
import mexico from '../registry/mexico.json' with { type: 'json' };
import mlb from '../registry/mlb.json' with { type: 'json' };
import mls from '../registry/mls.json' with { type: 'json' };
import mma from '../registry/mma.json' with { type: 'json' };
import nations from '../registry/nations.json' with { type: 'json' };
import nationsWomen from '../registry/nations_women.json' with { type: 'json' };
import nba from '../registry/nba.json' with { type: 'json' };
import netherlands from '../registry/netherlands.json' with { type: 'json' };
import nfl from '../registry/nfl.json' with { type: 'json' };
import nhl from '../registry/nhl.json' with { type: 'json' };
import norway from '../registry/norway.json' with { type: 'json' };
import npb from '../registry/npb.json' with { type: 'json' };
import nwsl from '../registry/nwsl.json' with { type: 'json' };
import paraguay from '../registry/paraguay.json' with { type: 'json' };
import peru from '../registry/peru.json' with { type: 'json' };
import pll from '../registry/pll.json' with { type: 'json' };
import poland from '../registry/poland.json' with { type: 'json' };
import portugal from '../registry/portugal.json' with { type: 'json' };
import rugby from '../registry/rugby.json' with { type: 'json' };
import saudiArabia from '../registry/saudi_arabia.json' with { type: 'json' };
import scotland from '../registry/scotland.json' with { type: 'json' };
import serbia from '../registry/serbia.json' with { type: 'json' };
import shl from '../registry/shl.json' with { type: 'json' };
import spain from '../registry/spain.json' with { type: 'json' };
import sweden from '../registry/sweden.json' with { type: 'json' };
import switzerland from '../registry/switzerland.json' with { type: 'json' };
import tennis from '../registry/tennis.json' with { type: 'json' };
import turkey from '../registry/turkey.json' with { type: 'json' };
import uefa from '../registry/uefa.json' with { type: 'json' };
import ufl from '../registry/ufl.json' with { type: 'json' };
import uruguay from '../registry/uruguay.json' with { type: 'json' };
import usl from '../registry/usl.json' with { type: 'json' };
import valorant from '../registry/valorant.json' with { type: 'json' };
import venezuela from '../registry/venezuela.json' with { type: 'json' };
import wnba from '../registry/wnba.json' with { type: 'json' };
import women from '../registry/women.json' with { type: 'json' };

/** Files with one pool. */
// biome-ignore format: one name a line.
export const TEAM_POOLS = [
  afl,
  africa,
  ahl,
  argentina,
  asia,
  australia,
  austria,
  basketballAmericas,
  basketballAsia,
  basketballEurope,
  basketballOceania,
  belgium,
  bolivia,
  brazil,
  canada,
  centralAmerica,
  cfl,
  chile,
  china,
  college,
  colombia,
  concacaf,
  conmebol,
  croatia,
  czechia,
  del,
  denmark,
  ecuador,
  egypt,
  england,
  europeEast,
  france,
  germany,
  greece,
  gulf,
  hockeyCzechia,
  hockeySwitzerland,
  israel,
  italy,
  japan,
  kbo,
  khl,
  korea,
  liiga,
  lmb,
  mexico,
  mlb,
  mls,
  nations,
  nationsWomen,
  nba,
  netherlands,
  nfl,
  nhl,
  norway,
  npb,
  nwsl,
  paraguay,
  peru,
  pll,
  poland,
  portugal,
  rugby,
  saudiArabia,
  scotland,
  serbia,
  shl,
  spain,
  sweden,
  switzerland,
  turkey,
  uefa,
  ufl,
  uruguay,
  usl,
  venezuela,
  wnba,
  women,
];

/** Files with several small pools, such as men and women of one sport. */
// biome-ignore format: one name a line.
export const POOL_SETS = [
  cricket,
  cs2,
  dota2,
  esports,
  lol,
  mma,
  tennis,
  valorant,
];
