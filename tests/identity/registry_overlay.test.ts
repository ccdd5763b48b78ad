import { afterEach, describe, expect, it } from 'vitest';
import { competitionsNamedIn } from '../../functions/ingest/identity/game/competition_words.ts';
import { leagueOfStem } from '../../functions/ingest/identity/lines/lines_registry.ts';
import { resolveTeam } from '../../functions/ingest/identity/names/participants.ts';
import {
  applyAliases,
  applyLeagues,
  COMPETITIONS,
  type ConfirmedAlias,
  type ConfirmedLeague,
  type League,
  leagueOfPrefix,
  leagueOfSeries,
  POOLS,
  poolsWithTeam,
  registeredByName,
  registryVersion,
  teamOf,
  teamsByCode,
  teamsByName,
  withoutCompetitions,
} from '../../functions/ingest/identity/names/registry.ts';
import { contestsById } from '../../functions/ingest/identity/outright/outright_awards.ts';

/**
 * Guarantee: confirmed aliases and leagues change what the parsers know at once, an alias never
 * joins two teams, and removing the overlays restores the registry of the files.
 */

afterEach(() => {
  applyAliases(0, []);
  applyLeagues(0, []);
  withoutCompetitions([]);
});

const league = (id: string): League => COMPETITIONS.get(id) as League;
const alias = (name: string, normalized: string, participant: string, id = 'epl'): ConfirmedAlias => ({
  league: id,
  name,
  normalized,
  participant,
});
const found = (name: string, id = 'epl') => [...registeredByName(league(id), name)];

describe('the overlay of aliases', () => {
  it('makes an unknown name known in its league, although the answer was remembered', () => {
    expect(found('Highbury Eleven')).toEqual([]);
    applyAliases(7, [alias('Highbury Eleven', 'highbury eleven', 'england/arsenal')]);
    expect(registryVersion().aliases).toBe(7);
    expect(found('Highbury  ELEVEN')).toEqual(['england/arsenal']);
    expect([...teamsByName(league('epl'), 'Highbury Eleven')]).toEqual(['england/arsenal']);
    expect(poolsWithTeam('Highbury Eleven')).toEqual(new Set([POOLS.get('england')]));
    expect(resolveTeam(league('epl'), 'venue_a', 'Highbury Eleven', null)).toMatchObject({ team: 'england/arsenal' });
    // Another league of the same clubs has no such alias.
    expect(found('Highbury Eleven', 'fa-cup')).toEqual([]);
  });

  it('is replaced by the next version, so that a withdrawn alias is unknown again', () => {
    applyAliases(1, [alias('Highbury Eleven', 'highbury eleven', 'england/arsenal')]);
    expect(found('Highbury Eleven')).toHaveLength(1);
    applyAliases(2, []);
    expect(found('Highbury Eleven')).toEqual([]);
    expect(poolsWithTeam('Highbury Eleven').size).toBe(0);
  });

  it('is applied once for each version', () => {
    applyAliases(3, [alias('Highbury Eleven', 'highbury eleven', 'england/arsenal')]);
    applyAliases(3, []);
    expect(found('Highbury Eleven')).toHaveLength(1);
  });

  it('leaves a name ambiguous that the registry holds for another team', () => {
    applyAliases(1, [alias('Chelsea', 'chelsea', 'england/arsenal')]);
    expect(found('Chelsea').sort()).toEqual(['england/arsenal', 'england/chelsea']);
    expect(resolveTeam(league('epl'), 'venue_a', 'Chelsea', null)).toMatchObject({ problem: 'ambiguous_alias' });
  });

  it.each([
    ['an unknown league', alias('X Y', 'x y', 'england/arsenal', 'no-league'), 'alias.unknown_league'],
    ['a team that does not exist', alias('X Y', 'x y', 'england/no-team'), 'alias.unknown_participant'],
    ['a team of another pool', alias('X Y', 'x y', 'spain/barcelona'), 'alias.unknown_participant'],
    ['another normalized form', alias('X Y', 'arsenal', 'england/chelsea'), 'alias.other_form'],
    ['no letters', alias('***', '', 'england/chelsea'), 'alias.other_form'],
  ])('ignores an alias with %s and reports it', (_, row, code) => {
    const before = found('Arsenal');
    expect(applyAliases(1, [row]).ignored).toEqual([{ id: `${row.league} ${row.name}`, code }]);
    expect(found(row.name)).toEqual([]);
    expect(found('Arsenal')).toEqual(before);
  });
});

const moon: ConfirmedLeague = {
  id: 'moon-league',
  name: 'Moon League',
  sport: 'soccer',
  ways: 3,
  order: 'home_first',
  words: ['moon league'],
  venue_a: { game_series: ['KXMOONGAME'] },
  venue_b: { prefixes: ['moon'] },
  teams: [
    { id: 'crater', name: 'Crater Rovers', names: ['Crater'], codes: { venue_a: ['CRA'], venue_b: ['cra'] } },
    { id: 'mare', name: 'Mare Imbrium' },
  ],
};

describe('a confirmed league', () => {
  it('is known by its series, prefix, words, teams and codes, and its title race is a contest', () => {
    expect(leagueOfSeries('KXMOONGAME')).toBeNull();
    expect(applyLeagues(1, [moon]).ignored).toEqual([]);
    const added = league('moon-league');
    expect(leagueOfSeries('KXMOONGAME')).toBe(added);
    expect(leagueOfPrefix('moon')).toBe(added);
    expect(leagueOfStem('KXMOON')).toBe(added);
    expect(competitionsNamedIn('moon league')).toEqual([added]);
    expect(contestsById().get('moon-league')?.name).toBe('Moon League');
    expect([...teamsByName(added, 'crater')]).toEqual(['confirmed_moon-league/crater']);
    expect([...teamsByCode(added, 'venue_b', 'CRA1')]).toEqual(['confirmed_moon-league/crater']);
    expect(teamOf('confirmed_moon-league/mare')?.name).toBe('Mare Imbrium');
    expect(added.rematch).toBe('same_day');
  });

  it('may use the clubs of a registered pool', () => {
    applyLeagues(1, [{ ...moon, teams: [], pools: ['england'] }]);
    expect(found('Arsenal', 'moon-league')).toEqual(['england/arsenal']);
  });

  it('may add a series and a prefix to a registered league, which stays one league', () => {
    applyLeagues(1, [{ ...moon, id: 'nba-moon', extends: 'nba', teams: [] }]);
    expect(leagueOfSeries('KXMOONGAME')).toBe(league('nba'));
    expect(leagueOfPrefix('moon')).toBe(league('nba'));
    expect(leagueOfSeries('KXNBAGAME')).toBe(league('nba'));
    expect(COMPETITIONS.has('nba-moon')).toBe(false);
    applyLeagues(2, []);
    expect(leagueOfSeries('KXMOONGAME')).toBeNull();
    expect(applyLeagues(3, [{ ...moon, extends: 'no-league' }]).ignored).toEqual([
      { id: 'moon-league', code: 'league.unknown' },
    ]);
  });

  it('takes aliases, in whichever order both are applied', () => {
    applyAliases(1, [alias('The Craters', 'the craters', 'confirmed_moon-league/crater', 'moon-league')]);
    applyLeagues(1, [moon]);
    expect(found('The Craters', 'moon-league')).toEqual(['confirmed_moon-league/crater']);
  });

  it.each([
    ['the id of a registered league', { id: 'epl' }, 'league.registered'],
    ['a malformed id', { id: 'Moon/League' }, 'league.invalid_id'],
    ['a series of another league', { venue_a: { game_series: ['KXNBAGAME'] } }, 'league.series_taken'],
    ['a prefix of another league', { venue_b: { prefixes: ['nba'] } }, 'league.prefix_taken'],
    ['an unknown pool', { pools: ['no-pool'] }, 'league.unknown_pool'],
  ])('is ignored with %s, and the registered leagues stay', (_, change, code) => {
    const size = COMPETITIONS.size;
    const row = { ...moon, ...change };
    expect(applyLeagues(1, [row]).ignored).toEqual([{ id: row.id, code }]);
    expect(COMPETITIONS.size).toBe(size);
    expect(leagueOfSeries('KXNBAGAME')?.id).toBe('nba');
  });
});

describe('withoutCompetitions', () => {
  it('removes series, prefixes, words, contests and own pools, and the returned function restores them', () => {
    const [nba, size, contests] = [league('nba'), COMPETITIONS.size, [...contestsById().keys()]];
    const restore = withoutCompetitions(['nba']);
    expect(COMPETITIONS.size).toBe(size - 1);
    expect(leagueOfSeries('KXNBAGAME')).toBeNull();
    expect(leagueOfPrefix('nba')).toBeNull();
    expect(leagueOfStem('KXNBA')).toBeNull();
    expect(competitionsNamedIn('nba').map(({ id }) => id)).not.toContain('nba');
    restore();
    expect(leagueOfSeries('KXNBAGAME')).toBe(nba);
    expect(competitionsNamedIn('nba')).toContain(nba);
    expect([...contestsById().keys()]).toEqual(contests);
  });

  it('keeps a pool that another competition uses', () => {
    withoutCompetitions(['epl']);
    expect(found('Arsenal', 'fa-cup')).toEqual(['england/arsenal']);
  });

  it('gives the place of a removed league to a confirmed one', () => {
    withoutCompetitions(['nba']);
    applyLeagues(1, [{ ...moon, venue_a: { game_series: ['KXNBAGAME'] }, venue_b: { prefixes: ['nba'] } }]);
    expect(leagueOfSeries('KXNBAGAME')?.id).toBe('moon-league');
  });
});
