import { edgeOf, formatPrice } from './amounts.ts';
import { costBreakdownOf } from './cost_breakdown.ts';
import type { Opportunity } from './frames.ts';

/** The legs as one stacked dollar: each ask in its venue's colour, its fee hatched beside it, and what is left at the end. */
export function CostBar({ opportunity }: { opportunity: Opportunity }) {
  const { parts, remaining } = costBreakdownOf(opportunity);
  const said = parts.map(
    ({ leg, ask, fee }) => `${leg.instruction}: ${formatPrice(ask)} and ${formatPrice(fee)} fee at ${leg.venue}`,
  );
  return (
    <figure class="dollar">
      <div
        class="bar"
        role="img"
        aria-label={`Of each dollar paid out: ${said.join('; ')}; ${formatPrice(remaining)} left.`}
      >
        {parts.map(({ leg, ask, fee }) => [
          <span
            key={`${leg.contract_id}-ask`}
            class={`slice ${leg.venue}`}
            style={{ flexGrow: ask * 1000 }}
            title={`${leg.instruction}: $${ask} at ${leg.venue}`}
          >
            {formatPrice(ask)}
          </span>,
          <span
            key={`${leg.contract_id}-fee`}
            class={`slice fee ${leg.venue}`}
            style={{ flexGrow: fee * 1000 }}
            title={`Fee of ${leg.venue}: $${fee}`}
          />,
        ])}
        <span class="slice left" style={{ flexGrow: remaining * 1000 }} title={`Profit: $${remaining}`} />
      </div>
      <figcaption class="small">
        <span class="dollar-left">
          <span class="swatch left" aria-hidden="true" /> {formatPrice(remaining)} of each $1 is left after fees (
          {edgeOf(opportunity.edge_pct)})
        </span>
        <span class="muted">
          <span class="swatch fee" aria-hidden="true" /> fees
        </span>
      </figcaption>
    </figure>
  );
}
