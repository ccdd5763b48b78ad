import type { Opportunity } from './frames.ts';
import { RiskList } from './risk_list.tsx';

const count = (value: number) => value.toLocaleString('en-US');
const percent = (value: number) => `${Number(value.toFixed(2))}%`;

/** How this opportunity can still lose: each risk with its money, and the record of its rule. */
export function OpportunityRisks({ opportunity }: { opportunity: Opportunity }) {
  const { risks, rule, edge_after_bound_pct } = opportunity;
  return (
    <div class="can-lose">
      <h3>How this can still lose</h3>
      {risks.length === 0 ? <p>{opportunity.weakest_link}</p> : <RiskList risks={risks} />}
      <dl class="particulars small">
        <dt>Record of its rule</dt>
        <dd>
          {count(rule.agreeing)} settled alike, {count(rule.diverging)} not: at most {percent(rule.bound_pct)} differ
        </dd>
        <dt>Edge after that bound</dt>
        <dd title={`${edge_after_bound_pct} points: the edge less the share that may differ, each paying $0`}>
          {edge_after_bound_pct.toFixed(2)} pts
        </dd>
      </dl>
    </div>
  );
}
