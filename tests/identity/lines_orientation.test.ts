import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesA } from '../../functions/ingest/identity/lines/lines_a.ts';
import { linesB } from '../../functions/ingest/identity/lines/lines_b.ts';
import {
  COMPETITIONS,
  type League,
  type Team,
  teamsByCode,
  teamsByName,
} from '../../functions/ingest/identity/names/registry.ts';
import type { Question } from '../../functions/ingest/listing.ts';
import { runs } from '../support/runs.ts';
import { context, eventB, ladderA } from './lines_fixtures.ts';

/**
 * Guarantee: for every league, order of teams, named side and phrasing of both venues, two lines
 * have one key only if legs of one outcome pay the same for every score. The same line always has
 * one key.
 */

const LEAGUES: [id: string, date: string, unit: string][] = [
  ['nfl', '2026-10-18', 'points'],
  ['nba', '2026-11-18', 'points'],
  ['wnba', '2026-07-18', 'points'],
  ['mlb', '2026-07-18', 'runs'],
  ['nhl', '2026-11-18', 'goals'],
  ['epl', '2026-10-18', 'goals'],
  ['mls', '2026-07-18', 'goals'],
  ['la-liga', '2026-10-18', 'goals'],
];

/** Names and codes that mean only this team. Ambiguous ones are the subject of another test. */
function unambiguousNames(league: League, team: Team): { names: string[]; a: string; b: string } | null {
  const names = [team.name, ...(team.names ?? []), ...(team.nicks ?? [])].filter(
    (name) => teamsByName(league, name).size === 1 && !/\b(?:at|vs)\b/i.test(name),
  );
  const code = (venue: 'venue_a' | 'venue_b') =>
    team.codes[venue].find((one) => teamsByCode(league, venue, one).size === 1) ?? null;
  const [a, b] = [code('venue_a'), code('venue_b')];
  return names.length === 0 || a === null || b === null ? null : { names, a: a.toUpperCase(), b: b.toLowerCase() };
}

const FIELDS = LEAGUES.flatMap(([id, date, unit]) => {
  const league = COMPETITIONS.get(id);
  if (!league) return [];
  const teams = [...league.pool.teams.values()].flatMap((team) => unambiguousNames(league, team) ?? []);
  return teams.length < 2 ? [] : [{ league, date, unit, teams }];
});

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const tickerDay = (date: string) => `${date.slice(2, 4)}${MONTHS[Number(date.slice(5, 7)) - 1]}${date.slice(8)}`;

type Score = readonly [number, number];
/** What a contract of either venue pays for a score, by the words of the listing. */
type Book = Map<string, (score: Score) => boolean>;
type Listed = { questions: Question[]; book: Book };

/** Indices only, so that a counterexample is readable. */
const drawn = fc.record({
  field: fc.nat(LEAGUES.length - 1),
  pair: fc.tuple(fc.nat(999), fc.nat(999)),
  name: fc.tuple(fc.nat(9), fc.nat(9), fc.nat(9), fc.nat(9)),
  isReversed: fc.boolean(),
});
type Game = ReturnType<typeof gameOf>;

function gameOf(one: { field: number; pair: [number, number]; name: number[]; isReversed: boolean }) {
  const field = FIELDS[one.field] as (typeof FIELDS)[number];
  const x = one.pair[0] % field.teams.length;
  const y = (x + 1 + (one.pair[1] % (field.teams.length - 1))) % field.teams.length;
  return { ...one, field, pair: [field.teams[x], field.teams[y]] as const };
}

const nameOf = (one: Game, team: 0 | 1, at: 0 | 1 | 2 | 3): string => {
  const names = one.pair[team]?.names ?? [];
  return names[(one.name[at] ?? 0) % names.length] ?? '';
};

/** An abstract line: team 0 or 1 (spread, team total), a half. */
const line = fc.record({
  family: fc.constantFrom('total', 'spread', 'team_total'),
  team: fc.constantFrom<0 | 1>(0, 1),
  whole: fc.nat(29),
});
type Line = typeof line extends fc.Arbitrary<infer T> ? T : never;

const margin = ([x, y]: Score, team: 0 | 1): number => (team === 0 ? x - y : y - x);
const count = (score: Score, one: Line): number =>
  one.family === 'total' ? score[0] + score[1] : one.family === 'spread' ? margin(score, one.team) : score[one.team];

function listedA(one: Game, target: Line, style: number): Listed {
  const { league, date, unit } = one.field;
  const half = target.whole + 0.5;
  const stem = (league.venue_a.game_series[0] ?? '').replace(/GAME$/, '');
  const suffix = { total: 'TOTAL', spread: 'SPREAD', team_total: 'TEAMTOTAL' }[target.family] ?? '';
  const order: [0 | 1, 0 | 1] = one.isReversed ? [1, 0] : [0, 1];
  const codes = order.map((team) => one.pair[team]?.a).join('');
  const ticker = `${stem}${suffix}-${tickerDay(date)}${codes}`;
  const name = nameOf(one, target.team, 0);
  const label = {
    total: [`Over ${half} ${unit} scored`, `Over ${half} ${unit}`],
    spread: [`${name} wins by over ${half} ${unit}`, `${name} -${half} ${unit}`],
    team_total: [`${name} over ${half} ${unit} scored`, `${name} ${target.whole + 1}+ ${unit}`],
  }[target.family]?.[style % 2];
  const code = target.family === 'total' ? '' : one.pair[target.team]?.a;
  const event = ladderA(ticker, `${nameOf(one, order[0], 1)} vs ${nameOf(one, order[1], 1)}: ${target.family}`, [
    { suffix: `${code}${target.whole + 1}`, floor: half, label },
  ]);
  const id = `${ticker}-${code}${target.whole + 1}`;
  const yes = (score: Score) => count(score, target) > half;
  return {
    questions: linesA(event as never, context),
    book: new Map([
      [`${id}/yes`, yes],
      [`${id}/no`, (score) => !yes(score)],
    ]),
  };
}

function listedB(one: Game, target: Line, style: number): Listed {
  const { league, date } = one.field;
  const half = target.whole + 0.5;
  const order: [0 | 1, 0 | 1] = style % 3 === 0 ? [1, 0] : [0, 1];
  const names = order.map((team) => nameOf(one, team, 2)) as [string, string];
  const slug = `${league.venue_b.prefixes[0]}-${order.map((team) => one.pair[team]?.b).join('-')}-${date}`;
  const other: 0 | 1 = target.team === 0 ? 1 : 0;
  const flip = style % 2 === 0;
  // The same two-sided contract, stated from either side.
  const question = {
    total: `${names.join(' vs. ')}: O/U ${half}`,
    spread: flip ? `Spread: ${nameOf(one, other, 3)} (+${half})` : `Spread: ${nameOf(one, target.team, 3)} (-${half})`,
    team_total: flip
      ? `${nameOf(one, target.team, 3)} Team Total: O/U ${half}`
      : `${names.join(' vs. ')}: ${nameOf(one, target.team, 3)} O/U ${half}`,
  }[target.family] as string;
  const first = style % 5 < 2;
  const covers: [number, 0 | 1][] = first
    ? [
        [0, target.team],
        [1, other],
      ]
    : [
        [0, other],
        [1, target.team],
      ];
  const outcomes =
    target.family === 'spread'
      ? covers.map(([, team]) => nameOf(one, team, 2))
      : first
        ? ['Over', 'Under']
        : ['Under', 'Over'];
  const type = { total: 'totals', spread: 'spreads', team_total: 'team_totals' }[target.family];
  const event = eventB(slug, names.join(' vs. '), [
    { id: 'x', question, outcomes, type, line: style % 7 < 3 ? -half : half },
  ]);
  const pays = (at: number) => (score: Score) => {
    const above = count(score, target) > half;
    return target.family === 'spread'
      ? covers[at]?.[1] === target.team
        ? above
        : !above
      : (at === 0) === first
        ? above
        : !above;
  };
  return {
    questions: linesB(event as never, context),
    book: new Map([
      ['x:0/', pays(0)],
      ['x:1/', pays(1)],
    ]),
  };
}

const SCORES: Score[] = [0, 1, 2, 3, 5, 8, 14, 29, 30, 31].flatMap((x) =>
  [0, 1, 2, 4, 7, 15, 29, 30].map((y): Score => [x, y]),
);

function legsPayAlike(a: Listed, b: Listed): void {
  for (const leg of a.questions[0]?.legs ?? []) {
    const twin = b.questions[0]?.legs.find((one) => one.outcome_key === leg.outcome_key);
    expect(twin, leg.outcome_key).toBeDefined();
    const paysA = a.book.get(`${leg.contract_id}/${leg.side}`);
    const paysB = b.book.get(`${twin?.contract_id}/`);
    const differ = SCORES.filter((score) => paysA?.(score) !== paysB?.(score));
    expect([leg.outcome_key, differ]).toEqual([leg.outcome_key, []]);
  }
}

describe('generated lines of both venues', () => {
  it('covers every league of the test', () => expect(FIELDS.length).toBe(LEAGUES.length));

  it('gives the same line one key, and its legs pay the same for every score', () => {
    fc.assert(
      fc.property(drawn, line, fc.nat(999), fc.nat(999), (indices, target, styleA, styleB) => {
        const one = gameOf(indices);
        const [a, b] = [listedA(one, target, styleA), listedB(one, target, styleB)];
        expect(a.questions.map((question) => [question.excluded, question.key])).toEqual([[null, b.questions[0]?.key]]);
        expect(b.questions[0]?.excluded).toBe(null);
        legsPayAlike(a, b);
      }),
      { numRuns: runs(250) },
    );
  });

  it('never gives two different lines one key', () => {
    fc.assert(
      fc.property(drawn, line, line, fc.nat(999), fc.nat(999), (indices, x, y, styleA, styleB) => {
        const one = gameOf(indices);
        const same = x.family === y.family && x.whole === y.whole && (x.family === 'total' || x.team === y.team);
        fc.pre(!same);
        const [a, b] = [listedA(one, x, styleA), listedB(one, y, styleB)];
        expect(a.questions[0]?.key).not.toBe(b.questions[0]?.key);
      }),
      { numRuns: runs(250) },
    );
  });
});
