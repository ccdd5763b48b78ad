import { edgeOf, formatPrice } from './amounts.ts';
import { costBreakdownOf } from './cost_breakdown.ts';
import type { Opportunity } from './frames.ts';

/**
 * The $1 payout as a stacked bar: each ask in its venue's colour, its fee hatched next to it, the
 * profit at the end.
 */
export function CostBar({ opportunity }: { opportunity: Opportunity }) {
  const { parts, remaining } = costBreakdownOf(opportunity);
  const costs = parts.map(
    ({ leg, ask, fee }) => `${leg.instruction}: ${formatPrice(ask)} plus ${formatPrice(fee)} fee on ${leg.venue}`,
  );
  return (
    <figure class="cost-bar">
      <div
        class="bar"
        role="img"
        aria-label={`Of each $1 payout: ${costs.join('; ')}; ${formatPrice(remaining)} profit.`}
      >
        {parts.map(({ leg, ask, fee }) => [
          <span
            key={`${leg.contract_id}-ask`}
            class={`part ${leg.venue}`}
            style={{ flexGrow: ask * 1000 }}
            title={`${leg.instruction}: $${ask} on ${leg.venue}`}
          >
            {formatPrice(ask)}
          </span>,
          <span
            key={`${leg.contract_id}-fee`}
            class={`part fee ${leg.venue}`}
            style={{ flexGrow: fee * 1000 }}
            title={`Fee on ${leg.venue}: $${fee}`}
          />,
        ])}
        <span class="part profit" style={{ flexGrow: remaining * 1000 }} title={`Profit: $${remaining}`} />
      </div>
      <figcaption class="small">
        <span class="cost-profit">
          <span class="swatch profit" aria-hidden="true" /> {formatPrice(remaining)} profit per $1 payout after fees (
          {edgeOf(opportunity.edge_pct)})
        </span>
        <span class="muted">
          <span class="swatch fee" aria-hidden="true" /> fees
        </span>
      </figcaption>
    </figure>
  );
}
