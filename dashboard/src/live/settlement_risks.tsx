import type { MarketDetail } from './frames.ts';
import { RiskList } from './risk_list.tsx';

/** How can this lose: where the two venues may settle differently, worst first, and what each of them writes itself. */
export function SettlementRisks({ settlement }: { settlement: NonNullable<MarketDetail['settlement']> }) {
  return (
    <section class="card" aria-labelledby="lose">
      <div class="card-head">
        <h2 id="lose">How this can lose</h2>
        <p class="muted small">
          {settlement.parity
            ? 'Enough settled pairs of this rule were paid alike to confirm it. Each risk below is still open.'
            : 'Too few settled pairs of this rule are known to say that both venues settle alike.'}
        </p>
      </div>
      <div class="card-body">
        {settlement.risks.length === 0 ? (
          <p>No difference between the two rules is known. Read both texts below all the same.</p>
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

/** A venue's own words. They are foreign: one text node, whatever they hold. */
function RuleText({ venue, text }: { venue: 'venue_a' | 'venue_b'; text: string | null }) {
  return (
    <details class="rule" open>
      <summary>
        <span class={`swatch ${venue}`} aria-hidden="true" />
        {venue}’s own rules
      </summary>
      {text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <p class="foreign" tabIndex={0}>
          {text}
        </p>
      ) : (
        <p class="muted">Not read yet.</p>
      )}
    </details>
  );
}
