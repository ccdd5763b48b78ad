import { Component } from 'preact';
import { Cell, GridRow } from '../components/grid.tsx';
import { SpreadCell, VenueAsks } from './ask_prices.tsx';
import type { Market } from './frames.ts';
import { contextOf, riskMark, statusLabels } from './labels.ts';
import type { MarketClock } from './market_clock.ts';
import { MarketAgo } from './market_times.tsx';
import { RiskBadge } from './risk_badge.tsx';

type RowProps = {
  market: Market;
  /** Keys of the outcomes shown when not all fit; fixed until the list is sorted again. */
  shown: readonly string[] | null;
  index: number;
  clock: MarketClock;
};

/**
 * One market. It renders only when its own data changed, because up to a thousand rows change each
 * second.
 */
export class MarketRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { market, shown, index } = this.props;
    return market !== next.market || shown !== next.shown || index !== next.index;
  }

  override render({ market, shown, index, clock }: RowProps) {
    const mark = riskMark(market);
    const outcomes = shown ? market.outcomes.filter((outcome) => shown.includes(outcome.key)) : market.outcomes;
    const hidden = market.outcomes.length - outcomes.length;
    return (
      <GridRow kind="market-row" index={index}>
        <Cell kind="spread">
          <SpreadCell points={market.spread_pts} />
        </Cell>
        <Cell kind="name">
          <a class="title" href={`/market?id=${encodeURIComponent(market.id)}`} title={market.title}>
            {market.title}
          </a>
          <span class="subtitle">
            {contextOf(market) ?? market.category} · {statusLabels[market.status]}
            {hidden > 0 && ` · ${hidden} more outcomes`}
          </span>
        </Cell>
        <Cell kind="outcomes">
          {outcomes.map((outcome) => (
            <div key={outcome.key} class="outcome">
              <span class="of" title={outcome.name}>
                {outcome.name}
              </span>
              <VenueAsks outcome={outcome} />
            </div>
          ))}
          {outcomes.length === 0 && <span class="muted">No price</span>}
        </Cell>
        <Cell kind="mark">
          <RiskBadge mark={mark} />
        </Cell>
        <Cell kind="books">
          <BookAge venue="venue_a" market={market} clock={clock} />
          <BookAge venue="venue_b" market={market} clock={clock} />
        </Cell>
      </GridRow>
    );
  }
}

/** Age of this venue's book; without that time, the age of the price. */
function BookAge({ venue, market, clock }: { venue: 'venue_a' | 'venue_b'; market: Market; clock: MarketClock }) {
  const at = market.books_read_at ? market.books_read_at[venue] : market.coverage[venue] ? market.priced_at : null;
  return (
    <span class="book-age">
      <span class={`swatch ${venue}`} aria-hidden="true" />
      <span class="visually-hidden">{venue} book received </span>
      <MarketAgo at={at} clock={clock} short />
    </span>
  );
}
