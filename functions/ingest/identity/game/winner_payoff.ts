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

/** Does a game's text pay the winner that the listing's fields name? One verdict for each contract, with the words that decided. */

export type WinnerOutcome = TeamId | 'draw';

/** A contract that pays YES on one outcome: a team of the two, or the draw. Null where it carries no text. */
export function yesVerdict(sides: Sides, outcome: WinnerOutcome, text: string | null): Verdict | null {
  return text === null ? null : unlessOtherGame(sides, text, checkYesText(sides, outcome, text));
}

/** A text about two other teams is known by a sign of its own (game_terms.ts), and leaves a candidate. */
const unlessOtherGame = (sides: Sides, text: string, verdict: Verdict): Verdict =>
  verdict.result === 'contradicts' && isOtherGame(sides.league, sides.teams, text) ? NOT_FOUND : verdict;

function checkYesText(sides: Sides, outcome: WinnerOutcome, text: string): Verdict {
  const about = findOtherSubject(sides, text);
  if (about !== null) return contradicts(about);
  const votes = parsePayoffs(text, allLabels(sides)).flatMap((payoff) => yesVote(sides, outcome, payoff) ?? []);
  return votes.length === 0 ? NOT_FOUND : worstVerdict(votes);
}

/** A market of two outcomes, each named after a team: every named outcome must be paid on its own team's win. */
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

/** Titles, questions and labels of a winner: none may ask for the loser or the opposite. */
export function titlesVerdict(
  sides: Sides,
  titles: readonly (string | null)[],
  labels: readonly (string | null)[],
): Verdict {
  const said = [
    ...titles.map((one) => (one === null ? null : findInvertedResult(withoutNames(sides, one)))),
    ...labels.map((one) => (one === null ? null : findInvertedLabel(one))),
  ].find((one) => one !== null);
  return said === undefined || said === null ? AGREES : contradicts(`"${said}"`);
}

function findOtherSubject(sides: Sides, text: string): string | null {
  return findOtherScope(text) ?? findOtherOpponent(sides, text);
}

function yesVote(sides: Sides, outcome: WinnerOutcome, payoff: Payoff): Verdict | null {
  if (payoff.pays === 'described') return null;
  const read = parsePayoffClause(sides, payoff);
  const own = read.who === 'listed' || read.who === outcome;
  if (payoff.pays === 'named') {
    const label = parseSide(sides, payoff.outcome ?? '');
    // A sentence about the market of another outcome says nothing of this one.
    if (label !== outcome && !(outcome === 'draw' && isDraw(payoff.outcome ?? ''))) return null;
  }
  if (payoff.pays === 'no')
    return own && read.result === 'win' && read.turned === null && !isOddCase(payoff.condition)
      ? contradicts(`pays No if ${payoff.condition}`)
      : null;
  if (read.result === 'draw' && !/\b(?:wins?|won)\b/i.test(payoff.condition)) return drawVote(outcome, read, payoff);
  if (
    /\b(?:named|listed|specified|corresponding)\b.{0,20}\b(?:result|outcome)\b.{0,20}\b(?:occurs?|happens?)\b/i.test(
      payoff.condition,
    )
  )
    return AGREES;
  if (read.who === null) return null;
  if (
    own &&
    sides.league.ways === 3 &&
    /\bor\b[^.]{0,80}\b(?:draws?|drawn|ties?|tied|level)\b/i.test(withoutBrackets(payoff.condition))
  )
    return contradicts(`pays if ${payoff.condition}`);
  if (!own) return isOddCase(payoff.condition) ? null : contradicts(`pays if ${payoff.condition}`);
  return outcome === 'draw' ? contradicts(`pays if ${payoff.condition}`) : winVote(sides, read, payoff);
}

function drawVote(outcome: WinnerOutcome, read: ReturnType<typeof parsePayoffClause>, payoff: Payoff): Verdict | null {
  if (outcome === 'draw') return read.part !== null || read.turned !== null ? contradicts(payoff.condition) : AGREES;
  return contradicts(`pays if ${payoff.condition}`);
}

/** "X wins …": the whole game, a part of it, or with more asked of it than the win. */
function winVote(sides: Sides, read: ReturnType<typeof parsePayoffClause>, payoff: Payoff): Verdict | null {
  if (isOddCase(payoff.condition) && read.result !== 'win') return null;
  if (read.turned !== null) return contradicts(`"${read.turned}"`);
  if (read.part !== null) return contradicts(`"${read.part}"`);
  switch (read.result) {
    case 'win': {
      const contest = parseContest(sides, read.rest);
      if (contest.is === 'other') return contradicts(`"${contest.words}"`);
      return contest.is === 'game' ? AGREES : NOT_FOUND;
    }
    case 'score':
      return /^more (?:points|goals|runs)\b/i.test(read.rest) ? AGREES : contradicts(`pays if ${payoff.condition}`);
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
  const read = parsePayoffClause(sides, payoff);
  if (read.who === null || read.who === 'listed') {
    // "If the first half is tied …" names no side, and still says what is paid.
    return read.part !== null && !isOddCase(payoff.condition) ? { team, vote: contradicts(`"${read.part}"`) } : null;
  }
  if (read.who !== team) {
    // "If the Kings do not win": paid to the other side, as it should be.
    const opposite = read.turned !== null || read.result === 'lose';
    return opposite || isOddCase(payoff.condition)
      ? null
      : { team, vote: contradicts(`pays ${payoff.outcome} if ${payoff.condition}`) };
  }
  const vote = winVote(sides, read, payoff);
  return vote === null ? null : { team, vote };
}

function describedVote(sides: Sides, payoff: Payoff): Verdict | null {
  if (payoff.pays !== 'described') return null;
  const ahead = payoff.sentence.slice(0, Math.max(0, payoff.sentence.indexOf(payoff.condition)));
  if (isOddCase(ahead)) return null;
  const said = withoutBrackets(payoff.condition);
  const read = parsePayoffClause(sides, payoff);
  if (read.turned !== null) return contradicts(`"${read.turned}"`);
  if (read.part !== null) return contradicts(`"${read.part}"`);
  const won = /\b(?:winners?|victors?|wins?|won)\b(?: of)?\s*/i.exec(said);
  if (won === null) return null;
  const contest = parseContest(sides, said.slice(won.index + won[0].length));
  if (contest.is === 'other') return contradicts(`"${contest.words}"`);
  return contest.is === 'game' ? AGREES : NOT_FOUND;
}
