import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HistoryRow, HistoryTable } from '../../local/venue_simulator/settled_history/history_table.ts';
import { settledGame } from '../../local/venue_simulator/settled_history/settled_games.ts';
import { settledHistoryOf } from '../../local/venue_simulator/settled_history/settled_history.ts';
import { fixturesOf } from '../../local/venue_simulator/universe/calendar/schedule.ts';
import type { Question, Twin } from '../../local/venue_simulator/universe/question.ts';
import { twinsOf } from '../../local/venue_simulator/universe/question.ts';
import { questionsOf, type Universe, universeOf } from '../../local/venue_simulator/universe/universe.ts';
import { paidOf } from '../../local/venue_simulator/world/settlement_verdict.ts';
import { waitUntil } from '../support/wait_until.ts';
import { type RunningVenues, startVenues } from './fixture.ts';

const BASE = Date.parse('2026-11-20T12:00:00Z');
const GAMES = new Set(['moneyline', 'total', 'spread', 'team_total']);

function historyRowsOf(universe: Universe): HistoryRow[] {
  const days = settledHistoryOf(universe);
  for (;;) {
    const next = days.next();
    if (next.done) return next.value.rows;
  }
}

/**
 * The history that results when all listings of these days are built in full and each pair is paid.
 */
function settleListings(universe: Universe, days: readonly number[]): HistoryRow[] {
  const tally = new HistoryTable();
  for (const day of days) {
    const questions = questionsOf(universe, day).questions;
    const contracts = new Map(
      questions.flatMap(({ a }) => a?.contracts.map((one) => [one.ticker, one] as const) ?? []),
    );
    const markets = new Map(
      questions.flatMap(({ b }) => b?.markets.flatMap((one) => one.tokens.map((token) => [token, one] as const)) ?? []),
    );
    // All betting lines of one family of one game are one occasion.
    const occasions = new Map<string, Twin[]>();
    const hasNoDefect = ({ defect }: Question) => !defect;
    for (const twin of questions.filter(hasNoDefect).flatMap(twinsOf)) {
      if (!GAMES.has(twin.family)) continue;
      occasions.set(twin.event_ticker, [...(occasions.get(twin.event_ticker) ?? []), twin]);
    }
    for (const [ticker, twins] of occasions) {
      const legs = twins.flatMap((twin) => twin.legs);
      const paid = paidOf(
        legs,
        (name) => contracts.get(name),
        (token) => markets.get(token),
      );
      tally.add({ series: ticker.split('-')[0] ?? '', family: twins[0]?.family ?? '', paid });
    }
  }
  return tally.json();
}

describe('settled history of the simulated venues', () => {
  it('equals the settlements of the listings of those days', () => {
    for (const seed of [1, 2]) {
      const universe = universeOf(seed, BASE, 270);
      const days = Array.from({ length: 12 }, (_, day) => -3 - day);
      const tally = new HistoryTable();
      for (const fixture of days.flatMap((day) => fixturesOf(universe.calendar, day))) {
        for (const occasion of settledGame(seed, fixture)) tally.add(occasion);
      }
      expect(tally.json()).toEqual(settleListings(universe, days));
      expect(tally.json().length).toBeGreaterThan(40);
    }
  });

  it('is the same for the same seed and differs for another seed', () => {
    expect(historyRowsOf(universeOf(5, BASE, 120))).toEqual(historyRowsOf(universeOf(5, BASE, 120)));
    expect(historyRowsOf(universeOf(5, BASE, 120))).not.toEqual(historyRowsOf(universeOf(6, BASE, 120)));
  }, 60_000);

  it('has more than 540 occasions of each game series, and the venues rarely settle apart', () => {
    const rows = historyRowsOf(universeOf(1, BASE, 270));
    const row = (series: string) => rows.find((one) => one.series === series);
    const occasions = ({ alike, edge_cases, apart }: HistoryRow) => alike + edge_cases + apart;
    const games = rows.filter((one) => one.family === 'moneyline');
    expect(Math.min(...games.map(occasions))).toBeGreaterThan(540);
    // A walkover pays a fair price on venue_a and $0.50 on venue_b. A tie pays $0.50 on both.
    expect(row('KXATPMATCH')?.apart).toBeGreaterThan(30);
    expect(row('KXUFCFIGHT')?.apart).toBeGreaterThan(30);
    expect(row('KXNFLGAME')?.edge_cases).toBeGreaterThan(60);
    const rarelyApart = games.filter((one) => one.apart / occasions(one) < 0.006);
    expect(rarelyApart.length).toBeGreaterThan(0.6 * games.length);
    for (const one of rows.filter(({ family }) => family === 'total')) expect(one.apart, one.series).toBe(0);
  }, 60_000);

  describe('GET /_sim/history', () => {
    let venues: RunningVenues;
    beforeAll(async () => {
      venues = await startVenues('--games', '60');
    });
    afterAll(() => venues?.end());

    it('answers 202 while the history is computed, then returns it', async () => {
      const request = () => fetch(`${venues.sim}/history`);
      expect((await request()).status).toBe(202);
      const response = await waitUntil(
        async () => {
          const response = await request();
          return response.status !== 202 && response;
        },
        { what: 'the settled history', timeoutMs: 25_000 },
      );
      const history = (await response.json()) as { from: string; until: string; rows: HistoryRow[] };
      expect(history.rows.length).toBeGreaterThan(50);
      expect(history.from < history.until).toBe(true);
      expect(Date.parse(history.until)).toBeLessThan(Date.now() - 86_400_000);
    }, 30_000);
  });
});
