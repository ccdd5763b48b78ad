import type { MarketDetail } from './frames.ts';
import { RiskList } from './risk_list.tsx';
import { RuleTexts } from './rule_texts.tsx';

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
        <RuleTexts settlement={settlement} />
      </div>
    </section>
  );
}
