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
  /** Keys of the outcomes that are shown where there is no room for all; held with the order. */
  shown: readonly string[] | null;
  index: number;
  clock: MarketClock;
};

/** One market. Drawn again only when it has changed itself: a thousand others change meanwhile. */
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
        <Cell kind="gap">
          <SpreadCell points={market.spread_pts} />
        </Cell>
        <Cell kind="name">
          <a class="title" href={`/market?id=${encodeURIComponent(market.id)}`} title={market.title}>
            {market.title}
          </a>
          <span class="about">
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
          {outcomes.length === 0 && <span class="muted">Not priced</span>}
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

/** When this venue's book was read; without that time, when the shown price was. */
function BookAge({ venue, market, clock }: { venue: 'venue_a' | 'venue_b'; market: Market; clock: MarketClock }) {
  const at = market.books_read_at ? market.books_read_at[venue] : market.coverage[venue] ? market.priced_at : null;
  return (
    <span class="book-age">
      <span class={`swatch ${venue}`} aria-hidden="true" />
      <span class="unseen">{venue} book read </span>
      <MarketAgo at={at} clock={clock} short />
    </span>
  );
}
