import type { Fixture } from '../universe/calendar/fixture.ts';
import { leagueFixtures } from '../universe/calendar/schedule.ts';
import { doublesQuestions } from '../universe/games/doubles.ts';
import { gameQuestions, slugOf } from '../universe/games/games.ts';
import { tickerOf } from '../universe/games/played_game.ts';
import { womenOf } from '../universe/leagues/college.ts';
import { LEAGUES, type League } from '../universe/leagues/index.ts';
import { challengerOf, doublesOf } from '../universe/leagues/persons.ts';
import { seriesIdOf } from '../universe/listing/listing_b.ts';
import { gameKey } from '../universe/playoffs/matchups.ts';
import { aboveQuestions } from '../universe/prices/above.ts';
import { aboveSeriesB, aboveTagsB } from '../universe/prices/above_b.ts';
import { COINS, type Coin } from '../universe/prices/coins.ts';
import { GOLD_SERIES, GOLD_SERIES_B, GOLD_TAGS, goldQuestions } from '../universe/prices/gold.ts';
import type { Question } from '../universe/question.ts';
import type { Universe } from '../universe/universe.ts';
import { CELSIUS_CITIES, type CelsiusCity, CITIES, type City } from '../universe/weather/cities.ts';
import { cityQuestions } from '../universe/weather/weather.ts';
import { WEATHER_TAGS, weatherSeriesB } from '../universe/weather/weather_b.ts';

/**
 * Questions that are generated together: those of a league, of a city, or of a price. A request
 * that names a series generates its strand only.
 */
export type Strand = {
  /** Series tickers of venue A. */
  seriesA: ReadonlySet<string>;
  /** Id of its series on venue B. */
  seriesB: string;
  tags: readonly (readonly [id: string, label: string, slug: string])[];
  /** The start of its slugs on venue B. */
  slugStart: RegExp;
  /** With `only`, at least the listings of that venue. */
  questions(universe: Universe, day: number, only: 'a' | 'b' | null): Question[];
};

/** A game that is not played closes on venue A on the fourth day. */
export const CLOSES_WITHIN_DAYS = 4;

/** In a fixed order, which cursors name. */
export const STRANDS: readonly Strand[] = [
  ...LEAGUES.map(ofLeague),
  ...[...CITIES, ...CELSIUS_CITIES].map(ofCity),
  ...COINS.map(ofCoin),
  ofGold(),
];

/** The strands that contain a series of venue A, or all. */
export const strandsOfSeriesA = (series: string | null): number[] =>
  [...STRANDS.keys()].filter((at) => !series || STRANDS[at]?.seriesA.has(series));

function ofLeague(league: League): Strand {
  const { series: lines, part } = league.scoring ?? {};
  const others =
    league.key === 'atp' ? [challengerOf(league), doublesOf(league)] : league.key === 'cbb' ? [womenOf(league)] : [];
  const tickers = [league, ...others].map((one) => one.series);
  const ofLines = [lines?.total, lines?.spread, lines?.teamTotal, part?.series].flatMap((ticker) => ticker ?? []);
  return {
    seriesA: new Set([...tickers, ...ofLines]),
    seriesB: seriesIdOf(league.bSeries),
    tags: league.tags,
    slugStart: new RegExp(`^${league.prefix}-`),
    questions: (universe, day, only) => leagueQuestions(universe, league, day, only),
  };
}

function leagueQuestions(
  { seed, calendar, numbers }: Universe,
  league: League,
  day: number,
  only: 'a' | 'b' | null,
): Question[] {
  const namesOf = (fixture: Fixture) => [tickerOf(fixture), slugOf(seed, fixture)];
  // A postponed game has the date of the day before, and a night game can have that of the next
  // day. The venues list one event of a name.
  const before = [1, 2].flatMap((days) => leagueFixtures(calendar, league, day - days));
  const taken = new Set(before.flatMap(namesOf));
  const fixtures = leagueFixtures(calendar, league, day)
    .filter((fixture) => !namesOf(fixture).some((name) => taken.has(name)))
    .map((fixture) => ({ ...fixture, gameNo: numbers.get(gameKey(fixture)) ?? null }));
  const games = fixtures.flatMap((fixture) => gameQuestions(seed, fixture, only).questions);
  return only === 'b' ? games : [...games, ...doublesQuestions(seed, fixtures)];
}

function ofCity(city: City | CelsiusCity): Strand {
  const onA = 'series' in city ? [city.series, city.lowSeries, `KXTEMP${city.a}H`] : [];
  return {
    seriesA: new Set(onA.flatMap((ticker) => ticker ?? [])),
    seriesB: seriesIdOf(weatherSeriesB(city)),
    tags: WEATHER_TAGS,
    slugStart: new RegExp(`^(highest|lowest)-temperature-in-${city.slug}-on-`),
    questions: ({ seed, base }, day) => cityQuestions(seed, base, day, city),
  };
}

function ofCoin(coin: Coin): Strand {
  return {
    seriesA: new Set([coin.series]),
    seriesB: seriesIdOf(aboveSeriesB(coin)),
    tags: aboveTagsB(coin),
    slugStart: new RegExp(`^${coin.long}-above-`),
    questions: ({ seed, base }, day) => aboveQuestions(seed, base, day, [coin]),
  };
}

function ofGold(): Strand {
  return {
    seriesA: new Set([GOLD_SERIES]),
    seriesB: seriesIdOf(GOLD_SERIES_B),
    tags: GOLD_TAGS,
    slugStart: /^gold-above-/,
    questions: ({ seed, base }, day) => goldQuestions(seed, base, day),
  };
}
