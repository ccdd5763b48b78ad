import { describe, expect, it } from 'vitest';
import { lineVerdict } from '../../functions/ingest/identity/lines/line_payoff.ts';
import { COMPETITIONS, type League, type TeamId, teamsByName } from '../../functions/ingest/identity/names/registry.ts';
import { sportsTerms } from '../../functions/ingest/identity/terms/terms.ts';
import { questionsOfVenueA } from '../../functions/ingest/identity/venue_a.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * Guarantee: the text of a line pays above its own line, for its own team and count. The team that
 * advances is not the winner of one game.
 */

const NOW = { now: '2026-01-10T12:00:00Z' };
const state = (questions: readonly Question[], family: string): string => {
  const [one] = questions.filter((q) => q.family === family);
  return one === undefined ? 'gone' : (one.excluded ?? String(one.terms.rules));
};

const lineA = (series: string, family: string, suffix: string, floor: number, label: string, rule: string): string =>
  state(
    questionsOfVenueA(
      {
        event_ticker: `${series}-26JAN11HOUSAC`,
        series_ticker: series,
        title: 'Houston at Sacramento',
        markets: [
          {
            ticker: `${series}-26JAN11HOUSAC-${suffix}`,
            yes_sub_title: label,
            strike_type: 'greater',
            floor_strike: floor,
            rules_primary: rule,
          },
        ],
      },
      NOW,
    ).questions,
    family,
  );

const GAME = 'the Houston at Sacramento professional basketball game originally scheduled for Jan 11, 2026';
const YES = 'then the market resolves to Yes.';

describe('the payoff check of lines on venue_a', () => {
  it.each<[string, string]>([
    [`If Houston and Sacramento collectively score more than 225.5 points in ${GAME}, ${YES}`, 'read'],
    [`If the teams in ${GAME} collectively score more than 225.5 points, ${YES}`, 'read'],
    [`If Houston scores more than 225.5 points in ${GAME}, ${YES}`, 'payoff_contradicted'],
    [
      `If Houston and Sacramento collectively score more than 225.5 points in the first half of ${GAME}, ${YES}`,
      'part_of_game',
    ],
    [`The market resolves by the official box score of ${GAME}.`, 'unread'],
    [`If Houston and Sacramento collectively score enough points in ${GAME}, ${YES}`, 'unread'],
  ])('checks the total text "%s"', (rule, expected) => {
    expect(lineA('KXNBATOTAL', 'total', '226', 225.5, 'Over 225.5 points scored', rule)).toBe(expected);
  });

  it.each<[string, string]>([
    [`If Houston wins ${GAME} by more than 3.5 points, ${YES}`, 'read'],
    [`If Houston wins by more than 3.5 points in ${GAME}, ${YES}`, 'read'],
    [`If Houston wins ${GAME}, ${YES}`, 'payoff_contradicted'],
  ])('checks the spread text "%s"', (rule, expected) => {
    expect(lineA('KXNBASPREAD', 'spread', 'HOU4', 3.5, 'Houston wins by over 3.5 points', rule)).toBe(expected);
  });

  it.each<[string, string]>([
    [`If Houston scores more than 110.5 points in ${GAME}, ${YES}`, 'read'],
    [`If Houston and Sacramento collectively score more than 110.5 points in ${GAME}, ${YES}`, 'payoff_contradicted'],
  ])('checks the team total text "%s"', (rule, expected) => {
    expect(lineA('KXNBATEAMTOTAL', 'team_total', 'HOU111', 110.5, 'Houston: Over 110.5 points', rule)).toBe(expected);
  });
});

/** The Rockets and the Kings. */
function nba(): [League, TeamId, TeamId] {
  const league = COMPETITIONS.get('nba');
  const [rockets, kings] = ['Rockets', 'Kings'].map((name) => league && [...teamsByName(league, name)][0]);
  if (!league || !rockets || !kings) throw new Error('The registry has no Rockets or Kings.');
  return [league, rockets, kings];
}

const lineB = (
  family: string,
  question: string,
  type: string,
  outcomes: string[],
  line: number,
  text: string,
): string =>
  state(
    questionsOfVenueB(
      {
        slug: 'nba-hou-sac-2026-01-11',
        title: 'Rockets vs. Kings',
        markets: [
          {
            slug: 'nba-hou-sac-2026-01-11-line',
            conditionId: '0xline',
            question,
            sportsMarketType: type,
            outcomes: JSON.stringify(outcomes),
            clobTokenIds: '["1","2"]',
            line,
            description: text,
          },
        ],
      },
      NOW,
    ).questions,
    family,
  );

describe('the payoff check of lines on venue_b', () => {
  const total = (text: string): string =>
    lineB('total', 'Rockets vs. Kings: O/U 225.5', 'totals', ['Over', 'Under'], 225.5, text);
  it.each<[string, string]>([
    [
      'This market will resolve to "Over" if the Rockets and Kings combine to score 226 or more points in this game. Otherwise, this market will resolve to "Under".',
      'read',
    ],
    [
      'This market will resolve to "Over" if the total number of points of both sides is more than 225.5. Otherwise, this market will resolve to "Under".',
      'read',
    ],
    [
      'This market will resolve to "Over" if the Rockets and Kings combine to score 225 or fewer points. Otherwise, this market will resolve to "Under".',
      'payoff_contradicted',
    ],
    [
      'This market will resolve to "Under" if the Rockets and Kings combine to score 226 or more points. Otherwise, this market will resolve to "Over".',
      'payoff_contradicted',
    ],
    ['This market will resolve to "Over" if the Kings score 226 or more points in this game.', 'payoff_contradicted'],
    ['This market will resolve to "Over" if the Rockets and Kings combine for 226 or more rebounds.', 'contradictory'],
    ['This market resolves by the official box score.', 'unread'],
  ])('checks the venue_b total text "%s"', (text, expected) => {
    expect(total(text)).toBe(expected);
  });

  const spread = (text: string): string =>
    lineB('spread', 'Spread: Rockets (-3.5)', 'spreads', ['Rockets', 'Kings'], -3.5, text);
  it.each<[string, string]>([
    [
      'This market will resolve to "Rockets" if the Rockets win the game by 4 or more points. Otherwise, this market will resolve to "Kings".',
      'read',
    ],
    [
      'This market will resolve to "Rockets" if they win by four points or more. Otherwise, this market will resolve to "Kings".',
      'read',
    ],
    [
      'This market will resolve to "Rockets" if the Kings win the game by 4 or more points. Otherwise, this market will resolve to "Kings".',
      'payoff_contradicted',
    ],
    [
      'This market will resolve to "Rockets" if the Rockets win the game. Otherwise, this market will resolve to "Kings".',
      'payoff_contradicted',
    ],
  ])('checks the venue_b spread text "%s"', (text, expected) => {
    expect(spread(text)).toBe(expected);
  });
});

describe('the verdict on the text of a spread', () => {
  const [league, rockets, kings] = nba();
  const sides = { league, teams: [rockets, kings] as const, labels: new Map(), numbers: [] };
  /** The text pays `named` when `condition` holds, in a spread of the Rockets at `line`. */
  const verdict = (line: number, named: string, condition: string) =>
    lineVerdict(
      sides,
      { family: 'spread', unit: 'points', team: rockets, line },
      `This market will resolve to "${named}" if ${condition}.`,
    )?.result;

  it.each<[number, string, string, string]>([
    [-3.5, 'Rockets', 'the Rockets win by more than 3.5 points', 'agrees'],
    [-3.5, 'Rockets', 'the Rockets win by more than 4.5 points', 'contradicts'],
    [-3.5, 'Rockets', 'the Rockets win by more than 2.5 points', 'contradicts'],
    [-3.5, 'Rockets', 'the Kings win by more than 3.5 points', 'contradicts'],
    // The underdog has +3.5. The favourite alone has -3.5, which winning by more than 3.5 covers.
    [-3.5, 'Kings', 'the Kings win by more than 3.5 points', 'contradicts'],
    [3.5, 'Kings', 'the Kings win by more than 3.5 points', 'agrees'],
    [3.5, 'Rockets', 'the Rockets win by more than 3.5 points', 'contradicts'],
    [3.5, 'Rockets', 'the Rockets lose by 3 or fewer points', 'not_found'],
    [-3.5, 'Rockets', 'the Rockets lose by 3 or fewer points', 'contradicts'],
    [-3.5, 'Kings', 'the Kings lose by 3 or fewer points', 'not_found'],
  ])('at %d, "%s" if %s: %s', (line, named, condition, expected) => {
    expect(verdict(line, named, condition)).toBe(expected);
  });
});

describe('the payoff check of a tie on venue_a', () => {
  const tie = (rule: string): string =>
    state(
      questionsOfVenueA(
        {
          event_ticker: 'KXUCLADVANCE-26APR14LFCPSG',
          series_ticker: 'KXUCLADVANCE',
          title: 'Liverpool vs PSG: To Advance',
          markets: [
            { ticker: 'KXUCLADVANCE-26APR14LFCPSG-LFC', yes_sub_title: 'Liverpool', rules_primary: rule },
            {
              ticker: 'KXUCLADVANCE-26APR14LFCPSG-PSG',
              yes_sub_title: 'PSG',
              rules_primary: `If PSG advances to the next round of the 2026 UEFA Champions League, ${YES}`,
            },
          ],
        },
        NOW,
      ).questions,
      'advance',
    );
  it.each<[string, string]>([
    [`If Liverpool advances to the next round of the 2026 UEFA Champions League, ${YES}`, 'read'],
    [
      `If Liverpool fails to advance to the next round of the 2026 UEFA Champions League, ${YES}`,
      'payoff_contradicted',
    ],
    [`If Liverpool is eliminated from the 2026 UEFA Champions League, ${YES}`, 'payoff_contradicted'],
    [`If Liverpool wins the Liverpool vs PSG professional soccer game, ${YES}`, 'payoff_contradicted'],
    [`If PSG advances to the next round of the 2026 UEFA Champions League, ${YES}`, 'payoff_contradicted'],
  ])('checks the advance text "%s"', (rule, expected) => {
    expect(tie(rule)).toBe(expected);
  });
});

describe('a tie clause in the sentence about the winner', () => {
  it.each<[string, string | null]>([
    [
      'If the Bears win, or if the score is level after overtime, the market will resolve to "Bears".\nIf the Lions win, the market will resolve to "Lions".',
      'one_side',
    ],
    ['The market resolves to "Bears" if the Bears win or the game ends in a tie.', 'one_side'],
    ['If the fight is ruled a draw, this market will resolve 50-50.', 'split'],
    ['If the bout is called a draw, this market will resolve 50-50.', 'split'],
    ['If the Bears win, the market will resolve to "Bears".', null],
  ])('gives the payout of a tie in "%s"', (text, tie) => {
    expect(sportsTerms(text, [], null).tie).toBe(tie);
  });
});
