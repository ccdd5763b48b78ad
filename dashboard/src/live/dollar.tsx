import { edgeOf, finely } from './amounts.ts';
import { dollarOf } from './dollars_of.ts';
import type { Opportunity } from './wire.ts';

/** The legs as one stacked dollar: each ask in its venue's colour, its fee hatched beside it, and what is left at the end. */
export function Dollar({ opportunity }: { opportunity: Opportunity }) {
  const { slices, left } = dollarOf(opportunity);
  const said = slices.map(
    ({ leg, ask, fee }) => `${leg.instruction}: ${finely(ask)} and ${finely(fee)} fee at ${leg.venue}`,
  );
  return (
    <figure class="dollar">
      <div class="bar" role="img" aria-label={`Of each dollar paid out: ${said.join('; ')}; ${finely(left)} left.`}>
        {slices.map(({ leg, ask, fee }) => [
          <span
            key={`${leg.contract_id}-ask`}
            class={`slice ${leg.venue}`}
            style={{ flexGrow: ask * 1000 }}
            title={`${leg.instruction}: $${ask} at ${leg.venue}`}
          >
            {finely(ask)}
          </span>,
          <span
            key={`${leg.contract_id}-fee`}
            class={`slice fee ${leg.venue}`}
            style={{ flexGrow: fee * 1000 }}
            title={`Fee of ${leg.venue}: $${fee}`}
          />,
        ])}
        <span class="slice left" style={{ flexGrow: left * 1000 }} title={`Profit: $${left}`} />
      </div>
      <figcaption class="small">
        <span class="dollar-left">
          <span class="swatch left" aria-hidden="true" /> {finely(left)} of each $1 is left after fees (
          {edgeOf(opportunity.edge_pct)})
        </span>
        <span class="muted">
          <span class="swatch fee" aria-hidden="true" /> fees
        </span>
      </figcaption>
    </figure>
  );
}
