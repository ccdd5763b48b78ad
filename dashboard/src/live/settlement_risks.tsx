import type { MarketDetail } from './frames.ts';
import { RiskList } from './risk_list.tsx';

/** The settlement differences of a pair, worst first, and the rule texts of both venues. */
export function SettlementRisks({ settlement }: { settlement: NonNullable<MarketDetail['settlement']> }) {
  return (
    <section class="card" aria-labelledby="lose">
      <div class="card-head">
        <h2 id="lose">Settlement risks</h2>
        <p class="muted small">
          {settlement.parity
            ? 'Enough settled pairs of this rule agreed on both venues. The risks below still apply.'
            : 'Too few settled pairs of this rule are known to confirm that both venues settle alike.'}
        </p>
      </div>
      <div class="card-body">
        {settlement.risks.length === 0 ? (
          <p>No difference between the two rules is known. Still read both texts below before you trade.</p>
        ) : (
          <RiskList risks={settlement.risks} />
        )}
        <div class="rules">
          <RuleText venue="venue_a" text={settlement.venue_a_text} />
          <RuleText venue="venue_b" text={settlement.venue_b_text} />
        </div>
      </div>
    </section>
  );
}

/** The rule text of a venue. It is untrusted, so it is rendered as one text node. */
function RuleText({ venue, text }: { venue: 'venue_a' | 'venue_b'; text: string | null }) {
  return (
    <details class="rule" open>
      <summary>
        <span class={`swatch ${venue}`} aria-hidden="true" />
        Rules of {venue}
      </summary>
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
        <p class="untrusted" tabIndex={0}>
          {text}
        </p>
      ) : (
        <p class="muted">Not available yet.</p>
      )}
    </details>
  );
}
