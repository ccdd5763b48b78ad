import { allLabels, findOtherScope, isOddCase, parseSide, type Sides, withoutNames } from '../game/game_payoff.ts';
import { AGREES, contradicts, NOT_FOUND, type Verdict, worstVerdict } from '../game/verdict.ts';
import type { TeamId } from '../names/registry.ts';
import {
  findInvertedResult,
  findPart,
  type Payoff,
  parseCondition,
  parsePayoffs,
  withoutBrackets,
} from '../text/payoff.ts';
import type { LineFamily } from './lines_registry.ts';

/**
 * Checks whether the text of a line pays above that line, for the right team and the right count.
 */

export type ExpectedLine = { family: LineFamily; unit: string; team: TeamId | null; line: number };

const WORDS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const wordsToDigits = (text: string): string =>
  text.replace(/\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b/gi, (word) =>
    String(WORDS.indexOf(word.toLowerCase()) + 1),
  );

const BELOW =
  /\b(?:under|fewer|less than|at most|or less|no more than|not (?:to )?(?:exceed|score more)|does not exceed|below|lower than)\b/i;
const UNIT =
  /\b\d+(?:\.\d+)?(?:\+| or (?:more|fewer|less))? (?:total )?(goals?|runs?|points?|games?|sets?|maps?|rounds?|kills?|corners?|cards?|hits|shots?|aces|wickets?|tries|touchdowns?|strikeouts|rebounds|assists|yards|fouls)\b/i;
const COUNTED =
  /\b(?:corners?|(?:yellow|red) cards?|bookings|kills|shots|strikeouts|rebounds|assists|touchdowns|wickets|yards|fouls)\b/i;

const SCORE = new Set(['goals', 'points', 'runs']);

/**
 * Returns the half between the last count that loses and the first that wins. Null when the
 * condition names no count.
 */
export function parseHalfLine(condition: string): number | null {
  const text = wordsToDigits(condition);
  const from =
    /(\d+(?:\.\d+)?)\+? (?:\w+ )?or more\b/i.exec(text) ??
    /\b(?:at least|equals? or exceeds?|(?:greater|more) than or equal to) (\d+(?:\.\d+)?)/i.exec(text) ??
    /\b(\d+)\+ /.exec(text);
  if (from) return Math.ceil(Number(from[1])) - 0.5;
  const above = /\b(?:(?:more|greater|higher) than|more|over|above|exceeds?) (\d+(?:\.\d+)?)/i.exec(text);
  return above ? Math.floor(Number(above[1])) + 0.5 : null;
}

/**
 * Returns null when the contract of the line has no text. A condition that names a part of the game
 * contradicts.
 */
export function lineVerdict(sides: Sides, expected: ExpectedLine, text: string | null): Verdict | null {
  if (text === null) return null;
  const about = findOtherScope(text);
  if (about !== null) return contradicts(`"${about}"`);
  const votes = parsePayoffs(text, allLabels(sides)).flatMap((payoff) => vote(sides, expected, payoff) ?? []);
  return votes.length === 0 ? NOT_FOUND : worstVerdict(votes);
}

function vote(sides: Sides, expected: ExpectedLine, payoff: Payoff): Verdict | null {
  if (payoff.pays === 'described' || payoff.pays === 'no') return null;
  const condition = withoutBrackets(payoff.condition);
  const bare = withoutNames(sides, condition);
  if (isOddCase(condition)) return null;
  const part = findPart(bare);
  if (part !== null) return contradicts(`"${part}"`);
  const counted = COUNTED.exec(bare)?.[0] ?? null;
  const unit = UNIT.exec(wordsToDigits(bare))?.[1]?.toLowerCase().replace(/s?$/, 's') ?? null;
  if (counted !== null) return contradicts(`counts ${counted}`);
  if (unit !== null && unit !== expected.unit)
    // Goals, points and runs are three words for the score. Sets are not games.
    return SCORE.has(unit) && SCORE.has(expected.unit) ? NOT_FOUND : contradicts(`counts ${unit}`);
  return expected.family === 'spread'
    ? marginVote(sides, expected, payoff, condition)
    : countVote(sides, expected, payoff, condition);
}

/** Checks "Over" if A and B combine for more than the line. A team total counts that team alone. */
function countVote(sides: Sides, expected: ExpectedLine, payoff: Payoff, condition: string): Verdict | null {
  const over = payoff.pays === 'yes' || /^over\b/i.test(payoff.outcome ?? '');
  const under = payoff.pays === 'named' && /^under\b/i.test(payoff.outcome ?? '');
  if (!over && !under) return null;
  const below = BELOW.test(condition);
  const half = parseHalfLine(condition);
  if (half === null && !below) return null;
  if (below === over) return contradicts(`pays ${over ? 'above' : 'below'} if ${condition}`);
  if (over && half !== null && half !== expected.line && !Number.isInteger(expected.line))
    return contradicts(`line ${half}`);
  const { subject } = parseCondition(condition);
  const together =
    /\b(?:collectively|combined?|together|both|total number|teams|players)\b/i.test(condition) ||
    /\sand\s/i.test(subject);
  const side = parseSide(sides, subject.replace(/\s+(?:alone|will|to)$/i, ''));
  if (expected.family === 'total') return side !== null && !together ? contradicts(`counts ${subject} alone`) : AGREES;
  if (together && side === null) return contradicts(`counts both: ${condition}`);
  if (side === null) return NOT_FOUND;
  return side === expected.team || side === 'listed' ? AGREES : contradicts(`counts ${subject}`);
}

/**
 * Checks that the label of a team is paid when it wins by more than the line. The underdog is paid
 * in all other cases.
 */
function marginVote(sides: Sides, expected: ExpectedLine, payoff: Payoff, condition: string): Verdict | null {
  const named = payoff.pays === 'named' ? parseSide(sides, payoff.outcome ?? '') : expected.team;
  if (named === null || named === 'listed' || named === 'other') return null;
  const favoured = /\bin favou?r of (?:the )?(.+?) (?:across|over|in)\b/i.exec(condition)?.[1];
  const { subject, result, rest } = parseCondition(condition);
  const namedSide = parseSide(sides, favoured ?? subject);
  const side =
    namedSide === null && /^(?:they|it)$/i.test(subject) ? named : namedSide === 'listed' ? named : namedSide;
  if (side === null) return null;
  if (favoured === undefined && result !== 'win' && result !== 'cover') {
    return result === 'lose' && side === named ? lostVote(condition, expected, named) : null;
  }
  const half = parseHalfLine(condition);
  if (half === null)
    return /\bby\b/i.test(rest) ? null : result === 'win' ? contradicts('pays a win without a margin') : null;
  if (/\bor (?:loses?|ties?|draws?)\b/i.test(condition))
    return side === named ? null : contradicts(`pays ${payoff.outcome} if ${condition}`);
  if (findInvertedResult(condition) !== null)
    return side === named ? contradicts(`"${findInvertedResult(condition)}"`) : null;
  if (side !== named) return contradicts(`pays ${payoff.outcome ?? 'Yes'} if ${condition}`);
  // The favourite has a minus: winning by more than 3.5 covers -3.5.
  const line = named === expected.team ? expected.line : -expected.line;
  return half === -line || Number.isInteger(expected.line) ? AGREES : contradicts(`line ${half}`);
}

/**
 * "If the Kings lose by 3 or fewer" pays the underdog. Paid to the favourite it is the opposite.
 */
function lostVote(condition: string, expected: ExpectedLine, named: TeamId): Verdict | null {
  const takes = named === expected.team ? expected.line > 0 : expected.line < 0;
  return takes || !/\bloses?\b/i.test(condition) ? null : contradicts(condition);
}
