import { isDraw } from '../names/participants.ts';
import type { TeamId } from '../names/registry.ts';
import { findInvertedLabel, findInvertedResult, type Payoff, parsePayoffs, withoutBrackets } from '../text/payoff.ts';
import {
  allLabels,
  findOtherOpponent,
  findOtherScope,
  isOddCase,
  parseContest,
  parsePayoffClause,
  parseSide,
  type Sides,
  withoutNames,
} from './game_payoff.ts';
import { isOtherGame } from './game_terms.ts';
import { AGREES, contradicts, NOT_FOUND, type Verdict, worstVerdict } from './verdict.ts';

/**
 * Checks whether the text of a game pays the winner that the fields name. Returns one verdict per
 * contract, with the words that decided.
 */

export type WinnerOutcome = TeamId | 'draw';

/**
 * Checks a contract that pays YES on one outcome: a team, or the draw. Null when it has no text.
 */
export function yesVerdict(sides: Sides, outcome: WinnerOutcome, text: string | null): Verdict | null {
  return text === null ? null : unlessOtherGame(sides, text, checkYesText(sides, outcome, text));
}

/**
 * A text about two other teams has a sign of its own (game_terms.ts). It leaves the pair a
 * candidate instead of excluding it.
 */
const unlessOtherGame = (sides: Sides, text: string, verdict: Verdict): Verdict =>
  verdict.result === 'contradicts' && isOtherGame(sides.league, sides.teams, text) ? NOT_FOUND : verdict;

function checkYesText(sides: Sides, outcome: WinnerOutcome, text: string): Verdict {
  const about = findOtherSubject(sides, text);
  if (about !== null) return contradicts(about);
  const votes = parsePayoffs(text, allLabels(sides)).flatMap((payoff) => yesVote(sides, outcome, payoff) ?? []);
  return votes.length === 0 ? NOT_FOUND : worstVerdict(votes);
}

/**
 * Checks a market of two outcomes named after the teams. Every named outcome must be paid on the
 * win of its own team.
 */
export function twoWayVerdict(sides: Sides, text: string | null): Verdict | null {
  return text === null ? null : unlessOtherGame(sides, text, checkTwoWayText(sides, text));
}

function checkTwoWayText(sides: Sides, text: string): Verdict {
  const about = findOtherSubject(sides, text);
  if (about !== null) return contradicts(about);
  const payoffs = parsePayoffs(text, allLabels(sides));
  const described = payoffs.flatMap((payoff) => describedVote(sides, payoff) ?? []);
  const named = payoffs.flatMap((payoff) => namedVote(sides, payoff) ?? []);
  const worst = worstVerdict([...described, ...named.map((one) => one.vote)]);
  if (worst.result === 'contradicts') return worst;
  if (described.some((one) => one.result === 'agrees')) return AGREES;
  const paid = new Set(named.flatMap((one) => (one.vote.result === 'agrees' ? [one.team] : [])));
  const rest = /\botherwise\b[^.]{0,60}\b(?:resolv|settl)/i.test(text);
  return paid.size === 2 || (paid.size === 1 && rest && named.length === 1) ? AGREES : NOT_FOUND;
}

/** Checks titles, questions and labels of a winner. None may ask for the loser or the opposite. */
export function titlesVerdict(
  sides: Sides,
  titles: readonly (string | null)[],
  labels: readonly (string | null)[],
): Verdict {
  const inverted = [
    ...titles.map((one) => (one === null ? null : findInvertedResult(withoutNames(sides, one)))),
    ...labels.map((one) => (one === null ? null : findInvertedLabel(one))),
  ].find((one) => one !== null);
  return inverted === undefined || inverted === null ? AGREES : contradicts(`"${inverted}"`);
}

function findOtherSubject(sides: Sides, text: string): string | null {
  return findOtherScope(text) ?? findOtherOpponent(sides, text);
}

function yesVote(sides: Sides, outcome: WinnerOutcome, payoff: Payoff): Verdict | null {
  if (payoff.pays === 'described') return null;
  const clause = parsePayoffClause(sides, payoff);
  const own = clause.side === 'listed' || clause.side === outcome;
  if (payoff.pays === 'named') {
    const label = parseSide(sides, payoff.outcome ?? '');
    // A sentence about the market of another outcome is no evidence about this one.
    if (label !== outcome && !(outcome === 'draw' && isDraw(payoff.outcome ?? ''))) return null;
  }
  if (payoff.pays === 'no')
    return own && clause.result === 'win' && clause.inverted === null && !isOddCase(payoff.condition)
      ? contradicts(`pays No if ${payoff.condition}`)
      : null;
  if (clause.result === 'draw' && !/\b(?:wins?|won)\b/i.test(payoff.condition))
    return drawVote(outcome, clause, payoff);
  if (
    /\b(?:named|listed|specified|corresponding)\b.{0,20}\b(?:result|outcome)\b.{0,20}\b(?:occurs?|happens?)\b/i.test(
      payoff.condition,
    )
  )
    return AGREES;
  if (clause.side === null) return null;
  if (
    own &&
    sides.league.ways === 3 &&
    /\bor\b[^.]{0,80}\b(?:draws?|drawn|ties?|tied|level)\b/i.test(withoutBrackets(payoff.condition))
  )
    return contradicts(`pays if ${payoff.condition}`);
  if (!own) return isOddCase(payoff.condition) ? null : contradicts(`pays if ${payoff.condition}`);
  return outcome === 'draw' ? contradicts(`pays if ${payoff.condition}`) : winVote(sides, clause, payoff);
}

function drawVote(
  outcome: WinnerOutcome,
  clause: ReturnType<typeof parsePayoffClause>,
  payoff: Payoff,
): Verdict | null {
  if (outcome === 'draw')
    return clause.part !== null || clause.inverted !== null ? contradicts(payoff.condition) : AGREES;
  return contradicts(`pays if ${payoff.condition}`);
}

/** Checks "X wins …": the whole game, a part of it, or a win with a further condition. */
function winVote(sides: Sides, clause: ReturnType<typeof parsePayoffClause>, payoff: Payoff): Verdict | null {
  if (isOddCase(payoff.condition) && clause.result !== 'win') return null;
  if (clause.inverted !== null) return contradicts(`"${clause.inverted}"`);
  if (clause.part !== null) return contradicts(`"${clause.part}"`);
  switch (clause.result) {
    case 'win': {
      const contest = parseContest(sides, clause.rest);
      if (contest.is === 'other') return contradicts(`"${contest.words}"`);
      return contest.is === 'game' ? AGREES : NOT_FOUND;
    }
    case 'score':
      return /^more (?:points|goals|runs)\b/i.test(clause.rest) ? AGREES : contradicts(`pays if ${payoff.condition}`);
    case 'lose':
    case 'cover':
    case 'draw':
      return contradicts(`pays if ${payoff.condition}`);
    case 'advance':
      return sides.league.open === undefined ? contradicts(`pays if ${payoff.condition}`) : NOT_FOUND;
    default:
      return NOT_FOUND;
  }
}

function namedVote(sides: Sides, payoff: Payoff): { team: TeamId; vote: Verdict } | null {
  if (payoff.pays !== 'named') return null;
  const team = parseSide(sides, payoff.outcome ?? '');
  if (team === null || team === 'listed' || team === 'other') return null;
  const clause = parsePayoffClause(sides, payoff);
  if (clause.side === null || clause.side === 'listed') {
    // "If the first half is tied …" names no team but states what is paid.
    return clause.part !== null && !isOddCase(payoff.condition)
      ? { team, vote: contradicts(`"${clause.part}"`) }
      : null;
  }
  if (clause.side !== team) {
    // "If the Kings do not win" pays the other team, which is correct.
    const opposite = clause.inverted !== null || clause.result === 'lose';
    return opposite || isOddCase(payoff.condition)
      ? null
      : { team, vote: contradicts(`pays ${payoff.outcome} if ${payoff.condition}`) };
  }
  const vote = winVote(sides, clause, payoff);
  return vote === null ? null : { team, vote };
}

function describedVote(sides: Sides, payoff: Payoff): Verdict | null {
  if (payoff.pays !== 'described') return null;
  const ahead = payoff.sentence.slice(0, Math.max(0, payoff.sentence.indexOf(payoff.condition)));
  if (isOddCase(ahead)) return null;
  const condition = withoutBrackets(payoff.condition);
  const clause = parsePayoffClause(sides, payoff);
  if (clause.inverted !== null) return contradicts(`"${clause.inverted}"`);
  if (clause.part !== null) return contradicts(`"${clause.part}"`);
  const won = /\b(?:winners?|victors?|wins?|won)\b(?: of)?\s*/i.exec(condition);
  if (won === null) return null;
  const contest = parseContest(sides, condition.slice(won.index + won[0].length));
  if (contest.is === 'other') return contradicts(`"${contest.words}"`);
  return contest.is === 'game' ? AGREES : NOT_FOUND;
}
