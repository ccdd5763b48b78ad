import { describe, expect, it } from 'vitest';
import {
  COMPETITION_IDS,
  COMPETITIONS,
  leagueOfPrefix,
  leagueOfSeries,
  POOLS,
  teamsByName,
} from '../../functions/ingest/identity/names/registry.ts';
import { normalize } from '../../functions/ingest/identity/text/text.ts';

/**
 * Names that two teams of one pool share on purpose. Such a name alone is ambiguous, and only a
 * code or the rest of the listing can resolve it.
 */
const SHARED: { [pool: string]: string[] } = {
  brazil: ['ferroviario'],
  college: ['miami'],
  france: ['paris'],
  mlb: ['chicago', 'los angeles', 'new york'],
  nba: ['los angeles'],
  nfl: ['los angeles', 'new york'],
  nhl: ['new york'],
};

const leagues = [...COMPETITIONS.values()];
const pools = [...POOLS.values()];

/** The full names of a team: its name and names, without nicknames, which many schools share. */
const fullNames = (team: { name: string; names?: string[] }): string[] =>
  [team.name, ...(team.names ?? [])].map(normalize);

describe('a pool of teams', () => {
  it.each(pools.map((pool) => pool.id))('%s gives no name to two teams, except those that the test lists', (id) => {
    const owners = new Map<string, Set<string>>();
    for (const team of POOLS.get(id)?.teams.values() ?? []) {
      for (const name of fullNames(team)) owners.set(name, (owners.get(name) ?? new Set()).add(team.id));
    }
    const shared = [...owners].filter(([, teams]) => teams.size > 1).map(([name]) => name);
    expect(shared.sort()).toEqual([...(SHARED[id] ?? [])].sort());
  });

  it.each(pools.map((pool) => pool.id))('%s has plain ids and codes', (id) => {
    for (const team of POOLS.get(id)?.teams.values() ?? []) {
      expect(team.id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      for (const code of team.codes.venue_a) expect(code).toMatch(/^[A-Z0-9.]{2,12}$/);
      for (const code of team.codes.venue_b) expect(code).toMatch(/^[a-z0-9.]{2,12}$/);
      for (const name of fullNames(team)) expect(name).not.toBe('');
    }
  });

  it('has unique team ids', () => {
    for (const pool of pools) {
      expect(pool.teams.size, pool.id).toBe(new Set([...pool.teams.values()].map((team) => team.id)).size);
    }
  });
});

describe('a competition', () => {
  it('has a unique id', () => {
    expect(COMPETITION_IDS.filter((id, at) => COMPETITION_IDS.indexOf(id) !== at)).toEqual([]);
  });

  it('has a series or a prefix on at least one venue', () => {
    const nowhere = leagues.filter((one) => one.venue_a.game_series.length + one.venue_b.prefixes.length === 0);
    expect(nowhere.map((one) => one.id)).toEqual([]);
  });

  it('shares no series, and shares a prefix only with words that select the competition', () => {
    const claims = leagues.flatMap((league) => league.venue_b.prefixes);
    for (const league of leagues) {
      for (const series of league.venue_a.game_series) expect(leagueOfSeries(series)?.id, series).toBe(league.id);
      for (const prefix of league.venue_b.prefixes) {
        const shared = claims.filter((other) => other === prefix).length > 1;
        expect(leagueOfPrefix(prefix)?.id, prefix).toBe(shared ? undefined : league.id);
        if (shared) expect(league.text_pattern, `${league.id} ${prefix}`).toBeDefined();
      }
    }
  });

  it('names only pools that exist', () => {
    for (const league of leagues) for (const pool of league.pools ?? []) expect(POOLS.has(pool), pool).toBe(true);
  });

  it('has three outcomes in soccer', () => {
    for (const league of leagues) if (league.sport === 'soccer') expect(league.ways, league.id).toBe(3);
  });

  it('in soccer has the key "men" or "women"', () => {
    for (const league of leagues) {
      if (league.sport === 'soccer') expect(['men', 'women'], league.id).toContain(league.key);
    }
  });
});

const meant = (competition: string, name: string): string[] => {
  const league = COMPETITIONS.get(competition);
  return league ? [...teamsByName(league, name)].sort() : ['no such competition'];
};

describe('a team name', () => {
  it.each([
    ['brasileirao-a', 'Botafogo', ['brazil/botafogo']],
    ['brasileirao-b', 'Botafogo FC', ['brazil/botafogo-sp']],
    ['libertadores', 'CA River Plate', ['argentina/river-plate']],
    ['libertadores', 'Club Nacional de Football', ['uruguay/nacional']],
    ['sudamericana', 'Guarani FC', ['brazil/guarani']],
    ['afc-champions-league', 'Al Ahli Saudi FC', ['saudi-arabia/al-ahli']],
    ['peru-liga-1', 'UTC Cajamarca', ['peru/utc-cajamarca']],
    ['peru-liga-1', 'FC Cajamarca', ['peru/cajamarca']],
    ['uwcl', 'FC Barcelona', ['women/barcelona']],
    ['ucl', 'FC Barcelona', ['spain/barcelona']],
    ['la-liga-2', 'Real Sociedad de Fútbol B', ['spain/real-sociedad-b']],
    ['la-liga', 'Real Sociedad de Fútbol', ['spain/real-sociedad']],
    ['ncaaf', 'Miami (OH) RedHawks', ['college/miami-oh']],
    ['ncaaf', 'USC Trojans', ['college/usc']],
    ['ncaaf', 'South Carolina Gamecocks', ['college/south-carolina']],
    ['ncaamb', 'UConn Huskies', ['college/uconn']],
    ['ncaawb', 'texas longhorns (w)', ['college/texas']],
    ['womens-internationals', 'Spain Women', ['nations-women/spain']],
    ['uwcl', 'Chelsea FC Women', ['women/chelsea']],
  ])('in %s: "%s" means %j', (competition, name, teams) => {
    expect(meant(competition, name)).toEqual(teams);
  });

  it.each([
    ['ncaaf', 'Miami'],
    ['ncaaf', 'Wildcats'],
    ['libertadores', 'Universidad Católica'],
  ])('in %s: "%s" alone is ambiguous', (competition, name) => {
    expect(meant(competition, name).length).toBeGreaterThan(1);
  });

  it.each([
    ['epl', 'Chelsea FC Women'],
    ['ncaamb', 'texas longhorns (w)'],
    ['eredivisie', 'Ajax Reserves'],
    ['world-cup', 'Portugal U21'],
    ['world-cup', 'Spain Women'],
    ['bundesliga', 'FC Bayern München II'],
    ['libertadores', 'Flamengo Guarulhos'],
  ])('in %s: "%s" means no team', (competition, name) => {
    expect(meant(competition, name)).toEqual([]);
  });
});
