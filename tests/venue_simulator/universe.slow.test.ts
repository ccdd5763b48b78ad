import { describe, expect, it } from 'vitest';
import { easternDate, easternParts } from '../../local/venue_simulator/core/eastern.ts';
import { calendarOf, fixturesOf } from '../../local/venue_simulator/universe/calendar/schedule.ts';
import { leagueBy } from '../../local/venue_simulator/universe/leagues/index.ts';
import type { Question } from '../../local/venue_simulator/universe/question.ts';
import { questionsOf, undatedQuestions, universeOf } from '../../local/venue_simulator/universe/universe.ts';
import { World } from '../../local/venue_simulator/world/world.ts';

const BASE = Date.parse('2026-11-20T07:00:00Z');
const HOUR = 3_600_000;

function allQuestions(seed: number, games = 270): Question[] {
  const universe = universeOf(seed, BASE, games);
  const days = [-1, 0, 1, 2, 3, 4, 5, 6].flatMap((day) => questionsOf(universe, day).questions);
  return [...undatedQuestions(universe).questions, ...days];
}

/** The data of the questions as text, without their functions. */
const serialize = (questions: readonly Question[]) =>
  JSON.stringify(
    questions.map(({ key, moments, legs, a, b }) => ({
      key,
      moments,
      legs,
      a: a?.fields,
      contracts: a?.contracts.map((one) => [one.ticker, one.fields, one.pays]),
      b: b?.fields,
      markets: b?.markets.map((one) => [one.slug, one.tokens, one.fields, one.pays]),
    })),
  );

describe('simulated universe', () => {
  it('is the same for the same seed and base time, and differs for another seed', () => {
    expect(serialize(allQuestions(7))).toBe(serialize(allQuestions(7)));
    expect(serialize(allQuestions(7))).not.toBe(serialize(allQuestions(8)));
  });

  it('schedules no two teams twice on one New York date, except in a doubleheader', () => {
    const calendar = calendarOf(7, BASE, 4000);
    const days = Array.from({ length: 40 }, (_, day) => day - 1);
    const seen = new Set<string>();
    const repeated: string[] = [];
    for (const game of days.flatMap((day) => fixturesOf(calendar, day)).filter((one) => !one.second)) {
      const name = [easternDate(game.start), game.league.key, ...[game.home.code, game.away.code].sort()].join(' ');
      if (seen.has(name)) repeated.push(name);
      seen.add(name);
    }
    expect(repeated).toEqual([]);
    expect(seen.size).toBeGreaterThan(2000);
  });

  it('gives every contract a unique ticker, slug and tokens', () => {
    const questions = allQuestions(3, 2000);
    const listed = new Map<string, Question>();
    for (const question of questions)
      if (
        !listed.has(question.key) &&
        ![...listed.values()].some((other) => other.b && other.b.slug === question.b?.slug)
      )
        listed.set(question.key, question);
    // Two teams rarely meet twice on one calendar day; the world may then drop the second listing.
    expect(questions.length - listed.size).toBeLessThan(questions.length * 0.02);
    const tickers = [...listed.values()].flatMap((question) => question.a?.contracts.map((one) => one.ticker) ?? []);
    const markets = [...listed.values()].flatMap((question) => question.b?.markets ?? []);
    expect(new Set(tickers).size).toBe(tickers.length);
    expect(new Set(markets.map((one) => one.slug)).size).toBe(markets.length);
    expect(new Set(markets.map((one) => one.id)).size).toBe(markets.length);
    expect(new Set(markets.flatMap((one) => one.tokens)).size).toBe(markets.length * 2);
  });

  it('never schedules a team twice on one day, except in a doubleheader', () => {
    const { calendar } = universeOf(5, BASE, 600);
    for (const day of [0, 1, 2, 3]) {
      const seen = new Set<string>();
      for (const { league, away, home, second } of fixturesOf(calendar, day)) {
        if (second) continue;
        for (const team of [away, home]) {
          const name = `${league.key}:${team.code}`;
          expect(seen.has(name), name).toBe(false);
          seen.add(name);
        }
      }
    }
  });

  it('pays both contracts of every leg alike, in either order of the tokens', () => {
    let swapped = 0;
    let straight = 0;
    const apart = new Set(['a_degree_apart', 'death']);
    for (const question of allQuestions(11).filter((one) => !apart.has(one.settledDifferently ?? ''))) {
      for (const leg of question.legs) {
        const contract = question.a?.contracts.find((one) => one.ticker === leg.ticker);
        const market = question.b?.markets.find((one) => one.tokens.includes(leg.token_id));
        if (!contract || !market) throw new Error(`a leg without contracts in ${question.key}`);
        const index = market.tokens.indexOf(leg.token_id);
        expect(market.pays === index, `${leg.ticker} and ${market.slug}`).toBe(contract.pays === 'yes');
        if (question.family === 'moneyline' && market.fields.negRisk === false) {
          const at = Date.parse('2026-11-20T08:00:00Z');
          expect(index === 0 ? market.quoting.fair(at) : 1 - market.quoting.fair(at)).toBeCloseTo(
            contract.quoting.fair(at),
            9,
          );
          if (index === 0) straight++;
          else swapped++;
        }
      }
    }
    // Each two-way game has one leg of either kind. A test below checks how often outcome 0 is
    // named first.
    expect(swapped).toBe(straight);
  });

  it('ends crypto questions at noon and 5 pm in New York also on the days when clocks change', () => {
    for (const base of ['2026-10-31T20:00:00Z', '2027-03-13T15:00:00Z']) {
      const universe = universeOf(2, Date.parse(base), 270);
      const crypto = questionsOf(universe, 1).questions.filter((one) => one.family === 'crypto_above' && one.a);
      expect([...new Set(crypto.map(({ moments }) => easternParts(moments.ends).hour))].sort()).toEqual([12, 17]);
      for (const { a, b, legs } of crypto) if (b) expect(legs.length, a?.ticker).toBeGreaterThan(2);
    }
  });

  it('does not derive the order of tokens or tickers from the home team', () => {
    const games = allQuestions(11).filter(
      (question) => question.family === 'moneyline' && question.b?.markets.length === 1 && question.a,
    );
    const tokenFirst = games.filter(
      (question) => question.b?.markets[0]?.outcomes[0] === String(question.b?.fields.title).split(' vs. ')[0],
    ).length;
    expect(tokenFirst / games.length).toBeGreaterThan(0.3);
    expect(tokenFirst / games.length).toBeLessThan(0.75);
    const tickerFirst = games.filter(
      (question) => question.a?.contracts[0]?.ticker === question.legs[0]?.ticker,
    ).length;
    expect(tickerFirst).toBeGreaterThan(0);
    expect(tickerFirst).toBeLessThan(games.length);
  });

  it('writes start times, end times and slug dates in the form of each venue', () => {
    const games = allQuestions(2).filter((question) => question.family === 'moneyline');
    let utcDateSlugs = 0;
    for (const { a, b, moments, postponed } of games) {
      const start = postponed?.from ?? moments.start ?? 0;
      if (a) {
        expect(a.milestone?.start_date).toBe(`${new Date(start).toISOString().slice(0, 19)}Z`);
        for (const { fields } of a.contracts) {
          expect(Date.parse(String(fields.occurrence_datetime)) - start).toBe(3 * HOUR);
          expect(fields.no_sub_title).toBe(fields.yes_sub_title);
        }
      }
      if (b) {
        const date = /\d{4}-\d\d-\d\d/.exec(b.slug)?.[0];
        if (date !== b.fields.eventDate) {
          utcDateSlugs++;
          expect(date).toBe(new Date(start).toISOString().slice(0, 10));
        }
        const endDelay = /^(mlb|atp|wta|cricipl)-/.test(b.slug) ? 7 * 24 * HOUR : 0;
        expect(Date.parse(String(b.fields.endDate)) - start).toBe(endDelay);
      }
    }
    expect(utcDateSlugs).toBeGreaterThan(0);
    expect(leagueBy('mlb').feeMultiplier).toBe(0.5);
  });

  it('always has a live game, and settles it within five hours', () => {
    const world = new World(universeOf(4, BASE, 270), BASE);
    const live = () =>
      world
        .known()
        .filter(({ moments }) => moments.start !== null && moments.start <= world.t && moments.ends > world.t);
    expect(live().length).toBeGreaterThan(0);
    const question = live().find((one) => one.a && one.b);
    if (!question?.a || !question.b) throw new Error('no twin is being played');
    const event = world.catalog.eventA(question.a.ticker);
    const states: string[] = [];
    for (let minutes = 1; minutes <= 5 * 60; minutes++) {
      world.advance(BASE + minutes * 60_000);
      const state = event?.markets[0]?.status() ?? '';
      if (states.at(-1) !== state) states.push(state);
    }
    expect(states).toEqual(['active', 'closed', 'determined', 'finalized']);
    const market = world.catalog.eventB(question.b.slug)?.markets[0];
    const listing = JSON.parse(market?.json(false) ?? '{}') as Record<string, unknown>;
    expect(listing).toMatchObject({ closed: true, acceptingOrders: false, umaResolutionStatus: 'resolved' });
    expect(JSON.parse(String(listing.outcomePrices)).sort()).toEqual(['0', '1']);
    expect(live().length).toBeGreaterThan(0);
  });

  it('has the same listings and books after a restart', () => {
    const universe = universeOf(9, BASE, 120);
    const first = new World(universe, BASE);
    const t = BASE + 47 * 60_000;
    for (let at = BASE; at <= t; at += 1_000) first.advance(at);
    for (let i = 0; i < 200; i++) first.advance(t + 1 + i);
    const second = new World(universe, first.t);
    expect(
      second.catalog
        .eventsA()
        .map((event) => event.ticker)
        .sort(),
    ).toEqual(
      first.catalog
        .eventsA()
        .map((event) => event.ticker)
        .sort(),
    );
    let compared = 0;
    for (const event of first.catalog.eventsA()) {
      for (const market of event.markets) {
        expect(second.catalog.marketA(market.ticker)?.ladder, market.ticker).toEqual(market.ladder);
        compared++;
      }
    }
    for (const event of first.catalog.eventsB()) {
      for (const market of event.markets) {
        expect(second.catalog.marketB(market.slug)?.instrument.ladder, market.slug).toEqual(market.instrument.ladder);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(1_000);
  });
});
