import type { ComponentChildren } from 'preact';
import { count, dollars, exactDollars } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { lifeTime, profit, promisedShare, type Tally } from './track_record.ts';

/** The figures of the whole record. */
export function Totals({ totals }: { totals: Tally }) {
  const waiting = totals.shown - totals.settled - totals.without_result;
  return (
    <dl class="card totals">
      <Figure name="Shown" value={count(totals.shown)}>
        opportunities in {count(totals.markets)} {totals.markets === 1 ? 'market' : 'markets'}
      </Figure>
      <Figure name="Settled" value={count(totals.settled)}>
        {count(waiting)} waiting, {count(totals.without_result)} without a result
      </Figure>
      <Figure name="Paid as promised" value={promisedShare(totals)}>
        {totals.settled === 0 ? (
          'of the settled ones'
        ) : (
          <>
            {count(totals.paid_as_promised)} of {count(totals.settled)};{' '}
            {totals.lost === 0 ? 'none lost money' : `${count(totals.lost)} lost money`}
          </>
        )}
      </Figure>
      <Figure
        name="Worst case"
        value={profit(totals.worst_case_usd)}
        exact={exactDollars(totals.worst_case_usd)}
        isLoss={(totals.worst_case_usd ?? 0) < 0}
      >
        lowest result of one opportunity
      </Figure>
      <Figure name="Median life time" value={lifeTime(totals.median_life_s)}>
        from opening to close
      </Figure>
      <Figure name="Paid in total" value={dollars(totals.paid_usd)} exact={exactDollars(totals.paid_usd)}>
        {dollars(totals.promised_usd)} promised, {dollars(totals.cost_usd)} cost
      </Figure>
    </dl>
  );
}

type FigureProps = { name: string; value: string; exact?: string; isLoss?: boolean; children: ComponentChildren };

function Figure({ name, value, exact, isLoss = false, children }: FigureProps) {
  return (
    <div>
      <dt class="muted small">{name}</dt>
      <dd class={`value ${isLoss ? 'is-down' : ''}`} title={exact}>
        {isLoss && <Icon name="warning" />}
        {value}
      </dd>
      <dd class="muted small">{children}</dd>
    </div>
  );
}
