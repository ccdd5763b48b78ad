import { FlashingValue } from '../components/flashing_value.tsx';
import { dollars, exactDollars } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { contractsOf, edgeOf } from './amounts.ts';
import { CostBar } from './cost_bar.tsx';
import { profitOf, sizeCurveOf } from './cost_breakdown.ts';
import type { CloseInfo, Opportunity } from './frames.ts';
import { contextOf, risksMark } from './labels.ts';
import { LegsTable } from './legs_table.tsx';
import type { MarketClock } from './market_clock.ts';
import type { MarketTerms } from './market_terms.ts';
import { MarketAgo, OpenDuration } from './market_times.tsx';
import { OpportunityRisks } from './opportunity_risks.tsx';
import { reasonText } from './reason_text.ts';
import { RiskBadge } from './risk_badge.tsx';
import { SizeCurveTable } from './size_curve_table.tsx';
import { resultOfStake } from './stake.ts';
import { StakeLine } from './stake_line.tsx';

type CardProps = {
  opportunity: Opportunity;
  /** Whether the opportunity has closed since it was listed. */
  closed: boolean;
  /** Why it closed, if known. */
  closing: CloseInfo | undefined;
  open: boolean;
  /** USD. */
  stake: number;
  terms: MarketTerms | undefined;
  clock: MarketClock;
  onToggle(): void;
  onReport(): void;
};

/** One opportunity: edge, profit, legs, costs, size curve and risks. */
export function OpportunityCard(props: CardProps) {
  const { opportunity, closed, closing, open, stake, terms, clock, onToggle, onReport } = props;
  const profit = profitOf(opportunity.max_contracts, opportunity.max_wager_usd);
  const body = `body-${opportunity.id}`;
  const risks = risksMark(opportunity.risks);
  return (
    <article class={`card opportunity ${closed ? 'is-closed' : ''}`} aria-label={opportunity.title ?? opportunity.id}>
      <h2>
        <button type="button" class="opportunity-head" aria-expanded={open} aria-controls={body} onClick={onToggle}>
          <span class="edge">
            <FlashingValue
              text={edgeOf(opportunity.edge_pct)}
              title={`Edge after fees: ${opportunity.edge_pct} points of the $1 payout`}
            />
          </span>
          <span class="what">
            <span class="title">{opportunity.title ?? opportunity.id}</span>
            <span class="subtitle">
              {contextOf(opportunity) ?? opportunity.category} · {closed ? 'closed' : 'open for '}
              {!closed && <OpenDuration since={opportunity.detected_at} clock={clock} />}
            </span>
            {risks && <RiskBadge mark={risks} />}
          </span>
          <Figure label="Profit" text={dollars(profit)} title={exactDollars(profit)} />
          <Figure
            label="Total cost"
            text={dollars(opportunity.max_wager_usd)}
            title={exactDollars(opportunity.max_wager_usd)}
          />
          <Figure
            label="Contracts"
            text={contractsOf(opportunity.max_contracts)}
            title="Contracts of each leg available at these asks"
          />
          <Figure
            label="Return"
            text={`${opportunity.roi_pct.toFixed(2)} %`}
            title="Profit in percent of the total cost"
          />
          <span class="turn">
            <Icon name="down" />
          </span>
        </button>
      </h2>
      {closed && (
        <p class="closed-note" role="status">
          <Icon name="close" />
          <span>
            Closed{closing?.retracted ? ': it was based on an invalid order book' : ''}. Do not trade it.{' '}
            {reasonText(closing?.reason ?? null)}
          </span>
        </p>
      )}
      {!closed && <StakeLine opportunity={opportunity} stake={stake} terms={terms} clock={clock} />}
      {open && (
        <div class="opportunity-body" id={body}>
          <div class="buying">
            <CostBar opportunity={opportunity} />
            <LegsTable legs={opportunity.legs} />
            <OpportunityRisks opportunity={opportunity} />
          </div>
          <div>
            <SizeCurveTable
              steps={sizeCurveOf(opportunity.ladder)}
              quoted={opportunity.max_contracts}
              staked={resultOfStake(opportunity, stake)?.contracts}
              settlesAt={terms?.expectedSettlementAt}
              now={clock.now()}
            />
            <dl class="particulars small">
              <dt>Confidence</dt>
              <dd>{opportunity.confidence.toFixed(2)}</dd>
              <dt>Last price change</dt>
              <dd>
                <MarketAgo at={opportunity.priced_at} clock={clock} />
              </dd>
              <dt>Fees</dt>
              <dd>Included, per contract. Venues round fees per order, so the total can differ slightly.</dd>
            </dl>
            <p class="buttons">
              <a class="button little" href={`/market?id=${encodeURIComponent(opportunity.market_id)}`}>
                Rule texts
              </a>
              <button type="button" class="button little" onClick={onReport}>
                Report a problem
              </button>
            </p>
          </div>
        </div>
      )}
    </article>
  );
}

function Figure({ label, text, title }: { label: string; text: string; title: string }) {
  return (
    <span class="figure">
      <span class="label">{label}</span>
      <FlashingValue text={text} title={title} />
    </span>
  );
}
