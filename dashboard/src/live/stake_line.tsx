import { dollars, exactDollars, exactUtc, NO_VALUE } from '../components/format.ts';
import { useNow } from '../components/now.ts';
import { contractsOf, edgeOf } from './amounts.ts';
import type { Opportunity } from './frames.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketTerms } from './market_terms.ts';
import { SettlementTime } from './settlement_time.tsx';
import { annualizedOf, resultOfStake } from './stake.ts';

type StakeLineProps = {
  opportunity: Opportunity;
  stake: number;
  terms: MarketTerms | undefined;
  clock: MarketClock;
};

/** What the stake buys of one opportunity, its profit, and the same for a year. */
export function StakeLine({ opportunity, stake, terms, clock }: StakeLineProps) {
  useNow();
  const result = resultOfStake(opportunity, stake);
  if (!result) return <p class="stake-line muted">{dollars(stake)} buys less than one contract of each leg.</p>;
  const { contracts, cost_usd, profit_usd, edge_pct, limit } = result;
  const settles = terms?.expectedSettlementAt;
  const yearly = annualizedOf(edge_pct, settles, clock.now());
  return (
    <dl class="stake-line">
      <div>
        <dt>With {dollars(stake)}</dt>
        <dd
          title={`${exactDollars(cost_usd)} for ${contractsOf(contracts)} contracts of each leg, before the rounding of each order`}
        >
          {contractsOf(contracts)} contracts, {dollars(cost_usd)}
          {limit && <span class="muted"> · {limitText[limit]}</span>}
        </dd>
      </div>
      <div>
        <dt>Profit</dt>
        <dd class="strong" title={exactDollars(profit_usd)}>
          {dollars(profit_usd)} <span class="muted">({edgeOf(edge_pct)})</span>
        </dd>
      </div>
      <div>
        <dt>For a year</dt>
        <dd title={yearlyTitle(settles, yearly)}>{yearly === null ? NO_VALUE : `${yearly.toFixed(1)} pts`}</dd>
      </div>
      <div>
        <dt>Paid</dt>
        <dd>{settles ? <SettlementTime terms={terms} clock={clock} /> : <span class="muted">not stated</span>}</dd>
      </div>
    </dl>
  );
}

const limitText = { profit: 'more would lower the profit', depth: 'no larger size is known' } as const;

function yearlyTitle(settles: string | null | undefined, yearly: number | null): string {
  if (!settles) return 'Neither venue states when it settles.';
  if (yearly === null) return `The expected settlement ${exactUtc(settles)} is past.`;
  return `The edge at this size for 365 days at the same rate, without compounding, until ${exactUtc(settles)}`;
}
