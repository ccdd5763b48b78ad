import type { Opportunity } from './frames.ts';
import { RiskList } from './risk_list.tsx';

const count = (value: number) => value.toLocaleString('en-US');
const percent = (value: number) => `${Number(value.toFixed(2))}%`;

/** The settlement risks of an opportunity with their cost, and the record of its rule. */
export function OpportunityRisks({ opportunity }: { opportunity: Opportunity }) {
  const { risks, rule, edge_after_bound_pct } = opportunity;
  return (
    <div class="can-lose">
      <h3>How this can lose</h3>
      {risks.length === 0 ? <p>{opportunity.weakest_link}</p> : <RiskList risks={risks} />}
      <dl class="particulars small">
        <dt>Record of the rule</dt>
        <dd>
          {count(rule.agreeing)} pairs settled alike, {count(rule.diverging)} differently: at most{' '}
          {percent(rule.bound_pct)} diverge
        </dd>
        <dt>Edge after divergence</dt>
        <dd title={`${edge_after_bound_pct} points: the edge less the share that may diverge, if those pay $0`}>
          {edge_after_bound_pct.toFixed(2)} pts
        </dd>
      </dl>
    </div>
  );
}
