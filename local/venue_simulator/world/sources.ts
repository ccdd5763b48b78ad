import { keyOf } from '../core/random.ts';
import type { SettledPast } from '../settled_past/settled_past.ts';
import { LEAGUES } from '../universe/leagues/index.ts';
import { UNREGISTERED_LEAGUES } from '../universe/leagues/unregistered.ts';
import { seriesIdOf } from '../universe/listing/listing_b.ts';
import { allSeries } from '../universe/series.ts';
import type { ListenerA, SourceA } from '../venue_a/source.ts';
import type { SourceB } from '../venue_b/source.ts';
import type { World } from './world.ts';

/** The world as the data source of venue A's server. */
export function sourceOfA(world: World): SourceA {
  const { catalog } = world;
  const series = allSeries(world.universe.base);
  return {
    now: () => world.t,
    events: () => catalog.eventsA(),
    event: (ticker) => catalog.eventA(ticker),
    market: (ticker) => catalog.marketA(ticker),
    series: () => series,
    milestones: () => catalog.eventsA().flatMap((event) => (event.listing.milestone ? [event.milestone(world.t)] : [])),
    listen: (listener: ListenerA) => void world.publisher.listenersA.push(listener),
  };
}

/** The world as the data source of venue B's server. */
export function sourceOfB(world: World, past: SettledPast): SourceB {
  const { catalog } = world;
  const leagues = [...LEAGUES, ...UNREGISTERED_LEAGUES];
  const teams = leagues.flatMap((league) =>
    league.teams.map((team) => ({
      id: 100_000 + (keyOf(league.key, team.code) % 99_999),
      name: team.full,
      league: league.prefix,
      abbreviation: team.short,
      alias: team.nick,
    })),
  );
  const sports = leagues.map((league) => ({
    id: keyOf(league.key) % 200,
    sport: league.prefix,
    image: '',
    resolution: league.resolution,
    ordering: league.order,
    tags: league.tags.map((tag) => tag[0]).join(','),
    series: seriesIdOf(league.bSeries),
  }));
  return {
    now: () => world.t,
    events: () => catalog.eventsB(),
    eventBySlug: (slug) => catalog.eventB(slug),
    market: (name) => catalog.marketB(name),
    resolution: (condition) => catalog.marketB(condition)?.resolution() ?? past.resolution(condition),
    book: (token) => {
      const market = catalog.marketB(token);
      return market?.contract.traded && market.slug !== token ? market.book(token) : undefined;
    },
    socketBook: (token) => {
      const market = catalog.marketB(token);
      return market?.contract.traded && market.slug !== token ? market.socketBook(token) : undefined;
    },
    history: (token) => {
      const market = catalog.marketB(token);
      return market ? { history: market.instrument.history, flipped: token === market.tokens[1] } : undefined;
    },
    teams: () => teams,
    sports: () => sports,
    listen: (listener) => void world.publisher.listenersB.push(listener),
    set wanted(wanted: (token: string) => boolean) {
      world.publisher.wantedB = wanted;
    },
    get wanted() {
      return world.publisher.wantedB;
    },
  };
}
