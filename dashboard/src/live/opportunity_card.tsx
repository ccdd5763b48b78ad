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
import { MarketAgo, OpenDuration } from './market_times.tsx';
import { OpportunityRisks } from './opportunity_risks.tsx';
import { reasonText } from './reason_text.ts';
import { RiskBadge } from './risk_badge.tsx';
import { SizeCurveTable } from './size_curve_table.tsx';

type CardProps = {
  opportunity: Opportunity;
  /** Its window has closed since it was shown. */
  closed: boolean;
  /** Why, where it was heard. */
  closing: CloseInfo | undefined;
  open: boolean;
  clock: MarketClock;
  onToggle(): void;
  onReport(): void;
};

/** What do I buy, for how much, what is left after fees, at what size? */
export function OpportunityCard({ opportunity, closed, closing, open, clock, onToggle, onReport }: CardProps) {
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
              title={`${opportunity.edge_pct} points of the $1 payout, after fees`}
            />
          </span>
          <span class="what">
            <span class="title">{opportunity.title ?? opportunity.id}</span>
            <span class="about">
              {contextOf(opportunity) ?? opportunity.category} · {closed ? 'closed' : 'open for '}
              {!closed && <OpenDuration since={opportunity.detected_at} clock={clock} />}
            </span>
            {risks && <RiskBadge mark={risks} />}
          </span>
          <Figure label="Profit" text={dollars(profit)} title={exactDollars(profit)} />
          <Figure
            label="Wager"
            text={dollars(opportunity.max_wager_usd)}
            title={exactDollars(opportunity.max_wager_usd)}
          />
          <Figure
            label="Contracts"
            text={contractsOf(opportunity.max_contracts)}
            title="Equal number of each leg at these asks"
          />
          <Figure label="Return" text={`${opportunity.roi_pct.toFixed(2)} %`} title="Profit, in percent of the wager" />
          <span class="turn">
            <Icon name="down" />
          </span>
        </button>
      </h2>
      {closed && (
        <p class="closed-note" role="status">
          <Icon name="close" />
          <span>
            This window has closed{closing?.retracted ? ': it had opened on a book that was already wrong' : ''}. Do not
            buy it. {reasonText(closing?.reason ?? null)}
          </span>
        </p>
      )}
      {open && (
        <div class="opportunity-body" id={body}>
          <div class="buying">
            <CostBar opportunity={opportunity} />
            <LegsTable legs={opportunity.legs} />
            <OpportunityRisks opportunity={opportunity} />
          </div>
          <div>
            <SizeCurveTable steps={sizeCurveOf(opportunity.ladder)} quoted={opportunity.max_contracts} />
            <dl class="particulars small">
              <dt>Confidence</dt>
              <dd>{opportunity.confidence.toFixed(2)}</dd>
              <dt>Prices changed</dt>
              <dd>
                <MarketAgo at={opportunity.priced_at} clock={clock} />
              </dd>
              <dt>Fees</dt>
              <dd>Included, for one contract a leg; a venue’s rounding at size can differ.</dd>
            </dl>
            <p class="buttons">
              <a class="button little" href={`/market?id=${encodeURIComponent(opportunity.market_id)}`}>
                Both rule texts
              </a>
              <button type="button" class="button little" onClick={onReport}>
                Report a bad one
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
