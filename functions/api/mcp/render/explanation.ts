import type { z } from 'zod';
import type { explanation } from '../../contract/explanation.ts';
import { sentenceOf } from '../../contract/reasons.ts';
import { fenceText, toSafeId, toSafeWord, toShortId } from '../untrusted_text.ts';
import { countText, dollars, points, price, second, trimmed } from './amounts.ts';
import { renderMeanings, renderNames, renderRisk, renderWorst } from './market_row.ts';

/** With more legs than this, the ids of tokens are short. */
const MAX_WHOLE_IDS = 3;

type Explanation = z.infer<typeof explanation>;

export function renderExplanation(body: Record<string, unknown>): string {
  const found = body as Explanation;
  const { rule, rejections } = found;
  const [rejection] = rejections;
  const [worst] = found.risks;
  return [
    `${found.id} ${found.status}, signal ${found.signal}, as of ${second(found.snapshot_at)} (${found.delay_seconds} s old).`,
    `Answer: ${renderReason(found.code)}`,
    ...found.gates.map(
      ({ gate, open, reason }) => `gate ${gate}: ${open ? 'open' : `closed, ${renderReason(reason)}`}`,
    ),
    renderClosest(found.closest),
    ...renderOpportunity(found.opportunity),
    ...(rejection === undefined
      ? []
      : [`Last rejected edge ${second(rejection.last_at)}: ${renderReason(rejection.reason)}`]),
    `${renderWorst(found.risks)}.`,
    ...renderMeanings([found.risks]),
    `Rule: ${countText(rule.agreeing + rule.diverging, 'settled occasion')}, ${rule.diverging} diverged; at most ${trimmed(rule.bound_pct, 2)}% diverge.`,
    fenceText([renderNames({ title: found.title }, 1), ...(worst === undefined ? [] : [renderRisk(worst)])]),
  ].join('\n');
}

/** The code with its sentence: `band.review: The match is in review …`. */
const renderReason = (code: string | null): string =>
  code === null
    ? 'nothing is known yet.'
    : code
        .split(', ')
        .map((one) => `${toSafeId(one)}: ${sentenceOf(one)}`)
        .join(' ');

function renderClosest(closest: Explanation['closest']): string {
  if (closest === null) {
    return 'Closest after fees: unknown. An ask or a fee is missing, or one of each outcome may not return $1.';
  }
  const { edge_pct, cost_per_payout_usd, contracts, legs } = closest;
  const size =
    contracts === null ? '' : ` for ${trimmed(contracts, 2)} contracts (${dollars(contracts * cost_per_payout_usd)})`;
  const renderId = legs.length > MAX_WHOLE_IDS ? toShortId : toSafeId;
  const buys = legs.map(
    (leg) =>
      `${toSafeWord(leg.outcome)} ${leg.venue} ${leg.side === null ? 'token' : leg.side.toUpperCase()} ${renderId(leg.contract ?? 'none')} at ${price(leg.price)} + fee ${price(leg.fee)}`,
  );
  return `Closest after fees: edge ${points(edge_pct)}${size}; ${buys.join('; ')}.`;
}

function renderOpportunity(one: Explanation['opportunity']): string[] {
  if (one === null) return ['It had no opportunity so far.'];
  const opened = `Newest opportunity ${one.id}: opened ${second(one.opened_at)}`;
  return [
    one.closed_at === null
      ? `${opened}, still open.`
      : `${opened}, closed ${second(one.closed_at)}: ${renderReason(one.reason)}`,
  ];
}
