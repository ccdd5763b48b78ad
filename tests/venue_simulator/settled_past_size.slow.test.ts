import { describe, expect, it } from 'vitest';
import { systemClock } from '../../local/venue_simulator/core/clock.ts';
import { NO_CHANGES } from '../../local/venue_simulator/settled_past/changes.ts';
import { type PastRow, pastTruth } from '../../local/venue_simulator/settled_past/past_truth.ts';
import { START } from '../../local/venue_simulator/settled_past/place.ts';
import { SettledPast } from '../../local/venue_simulator/settled_past/settled_past.ts';
import { STRANDS } from '../../local/venue_simulator/settled_past/strand.ts';
import { leagueBy } from '../../local/venue_simulator/universe/leagues/index.ts';
import { universeOf } from '../../local/venue_simulator/universe/universe.ts';

describe('size of the settled past', () => {
  it('lists no two past events under one ticker or slug', async () => {
    const base = Date.parse('2026-11-20T12:00:00Z');
    const past = new SettledPast(universeOf(1, base, 270), () => base, NO_CHANGES, systemClock);
    const span = { venue: null, strands: [...STRANDS.keys()], oldest: -120 };
    const names: string[] = [];
    for await (const { questions } of past.days(span, base, START))
      names.push(...questions.flatMap(({ a, b }) => [a?.ticker ?? [], b?.slug ?? []].flat()));
    expect(names.length).toBeGreaterThan(20_000);
    expect(names.length - new Set(names).size).toBe(0);
  });

  it('has 299 agreeing games of each large league within 120 days, and many of the others', async () => {
    const base = Date.parse('2026-11-20T12:00:00Z');
    const past = new SettledPast(universeOf(1, base, 270), () => base, NO_CHANGES, systemClock);
    const response = await pastTruth(past, [], new URLSearchParams({ days: '120' }));
    const { rows } = JSON.parse(response.body) as { rows: PastRow[] };
    const games = new Map(rows.filter((row) => row.family === 'moneyline').map((row) => [row.series, row]));
    const agreeing = (series: string) => (games.get(series)?.alike ?? 0) + (games.get(series)?.edge_cases ?? 0);
    const large = ['nfl', 'nba', 'nhl', 'mlb', 'mls', 'epl', 'lal', 'sea', 'bun', 'wta'].map(
      (key) => leagueBy(key).series,
    );
    expect(large.filter((series) => agreeing(series) < 299)).toEqual([]);
    expect(games.size).toBe(19);
    expect([...games.keys()].filter((series) => agreeing(series) < 80)).toEqual([]);
    // A walkover pays a fair price on venue_a and $0.50 on venue_b.
    expect(games.get('KXATPMATCH')?.apart).toBeGreaterThan(5);
  });
});
