import {
  allLabels,
  findOtherOpponent,
  isOddCase,
  parsePayoffClause,
  parseSide,
  type Sides,
} from '../game/game_payoff.ts';
import { AGREES, contradicts, NOT_FOUND, type Verdict, worstVerdict } from '../game/verdict.ts';
import type { TeamId } from '../names/registry.ts';
import { findInvertedResult, type Payoff, parsePayoffs, withoutBrackets } from '../text/payoff.ts';

/**
 * Checks whether the text of a tie or series pays the team that advances. A single game of it, or
 * the team that is eliminated, is another contract.
 */

type Scope = 'tie' | 'series';

const WHOLE: Record<Scope, RegExp> = {
  tie: /\b(?:tie|aggregate|round|legs|series|final)\b/i,
  series: /\b(?:series|finals?|round|play-?offs?)\b/i,
};
const ONE_GAME = /\b(?:game|match)\b/i;

/** Checks a contract that pays YES when one team advances. Null when it has no text. */
export function advanceYes(sides: Sides, scope: Scope, team: TeamId, text: string | null): Verdict | null {
  if (text === null) return null;
  const votes = parsePayoffs(text, allLabels(sides)).flatMap((payoff) => {
    if (payoff.pays !== 'yes' || isOddCase(payoff.condition)) return [];
    const clause = parsePayoffClause(sides, payoff);
    if (clause.side === null) return [];
    if (clause.side !== team && clause.side !== 'listed') return [contradicts(`pays if ${payoff.condition}`)];
    return [checkAdvance(scope, clause)];
  });
  return withOpponents(sides, text, votes.length === 0 ? NOT_FOUND : worstVerdict(votes));
}

/** Checks a market of two outcomes, each named after a team. */
export function advanceTwoWay(sides: Sides, scope: Scope, text: string | null): Verdict | null {
  if (text === null) return null;
  const payoffs = parsePayoffs(text, allLabels(sides)).filter((one) => !isOddCase(one.condition));
  const described = payoffs.flatMap((payoff) => describedVote(scope, payoff) ?? []);
  const named = payoffs.flatMap((payoff) => namedVote(sides, scope, payoff) ?? []);
  const worst = worstVerdict([...described, ...named.map((one) => one.vote)]);
  if (worst.result === 'contradicts') return worst;
  const paid = new Set(named.flatMap((one) => (one.vote.result === 'agrees' ? [one.team] : [])));
  const all =
    described.some((one) => one.result === 'agrees') ||
    paid.size === 2 ||
    (paid.size === 1 && /\botherwise\b/i.test(text));
  return withOpponents(sides, text, all ? AGREES : NOT_FOUND);
}

function withOpponents(sides: Sides, text: string, verdict: Verdict): Verdict {
  const other = findOtherOpponent(sides, text);
  return other === null ? verdict : contradicts(`names another team: ${other}`);
}

function checkAdvance(scope: Scope, clause: ReturnType<typeof parsePayoffClause>): Verdict {
  if (clause.inverted !== null) return contradicts(`"${clause.inverted}"`);
  if (clause.part !== null) return contradicts(`"${clause.part}"`);
  if (clause.result === 'advance') return AGREES;
  if (clause.result !== 'win')
    return clause.result === 'lose' ? contradicts('pays the team that is eliminated') : NOT_FOUND;
  const rest = withoutBrackets(clause.rest);
  if (/\bgame \d\b/i.test(rest)) return contradicts(`wins ${rest}`);
  if (rest === '' || WHOLE[scope].test(rest)) return AGREES;
  return ONE_GAME.test(rest) ? contradicts(`wins ${rest}`) : NOT_FOUND;
}

function namedVote(sides: Sides, scope: Scope, payoff: Payoff): { team: TeamId; vote: Verdict } | null {
  if (payoff.pays !== 'named') return null;
  const team = parseSide(sides, payoff.outcome ?? '');
  if (team === null || team === 'listed' || team === 'other') return null;
  const clause = parsePayoffClause(sides, payoff);
  if (clause.side === null || clause.side === 'listed') return null;
  if (clause.side === team) return { team, vote: checkAdvance(scope, clause) };
  // "If Arsenal is eliminated" pays the other team, which is correct.
  const opposite = clause.inverted !== null || clause.result === 'lose';
  return opposite ? null : { team, vote: contradicts(`pays ${payoff.outcome} if ${payoff.condition}`) };
}

function describedVote(scope: Scope, payoff: Payoff): Verdict | null {
  if (payoff.pays !== 'described') return null;
  const condition = withoutBrackets(payoff.condition);
  const inverted = findInvertedResult(condition);
  if (inverted !== null) return contradicts(`"${inverted}"`);
  if (/\b(?:advances?|qualif(?:y|ies)|progress(?:es)?|goes (?:on|through)|reach(?:es)?)\b/i.test(condition))
    return AGREES;
  if (!/\b(?:winner|wins?|won)\b/i.test(condition)) return null;
  if (/\bgame \d\b/i.test(condition)) return contradicts(condition);
  if (WHOLE[scope].test(condition)) return AGREES;
  return ONE_GAME.test(condition) ? contradicts(condition) : NOT_FOUND;
}
