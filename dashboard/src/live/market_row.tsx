import { Component } from 'preact';
import { FlashingValue } from '../components/flashing_value.tsx';
import { dollars, exactDollars, NO_VALUE } from '../components/format.ts';
import { Cell, GridRow } from '../components/grid.tsx';
import { SpreadCell, VenueAsks } from './ask_prices.tsx';
import type { Edge } from './edge_after_fees.ts';
import type { Market } from './frames.ts';
import type { GapTrail } from './gap_trails.ts';
import { contextOf, riskMark, statusLabels } from './labels.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketTerms } from './market_terms.ts';
import { MarketAgo, StartTime } from './market_times.tsx';
import { RiskBadge } from './risk_badge.tsx';
import { SettlementTime } from './settlement_time.tsx';
import { Sparkline } from './sparkline.tsx';
import { TradedVolume } from './traded_volume.tsx';
import { WatchButton } from './watch_button.tsx';

type RowProps = {
  market: Market;
  edge: Edge;
  /** What its open opportunity locks in, in USD; null without one. */
  profit: number | null;
  terms: MarketTerms | undefined;
  trail: GapTrail;
  watched: boolean;
  /** Keys of the outcomes shown when not all fit; fixed until the list is sorted again. */
  shown: readonly string[] | null;
  index: number;
  clock: MarketClock;
  onWatch(id: string): void;
};

/**
 * One market. It renders only when its own data changed, because up to a thousand rows change each
 * second.
 */
export class MarketRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { market, edge, profit, terms, trail, watched, shown, index } = this.props;
    return (
      market !== next.market ||
      edge.points !== next.edge.points ||
      edge.why !== next.edge.why ||
      profit !== next.profit ||
      terms !== next.terms ||
      trail !== next.trail ||
      watched !== next.watched ||
      shown !== next.shown ||
      index !== next.index
    );
  }

  override render({ market, edge, profit, terms, trail, watched, shown, index, clock, onWatch }: RowProps) {
    const outcomes = shown ? market.outcomes.filter((outcome) => shown.includes(outcome.key)) : market.outcomes;
    const hidden = market.outcomes.length - outcomes.length;
    return (
      <GridRow kind="market-row" index={index}>
        <Cell kind="star">
          <WatchButton watched={watched} title={market.title} onToggle={() => onWatch(market.id)} />
        </Cell>
        <Cell kind="edge">
          <EdgeCell edge={edge} profit={profit} />
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
        <Cell kind="spread">
          <SpreadCell points={market.spread_pts} />
          <Sparkline trail={trail} />
        </Cell>
        <Cell kind="when">
          <StartTime at={market.start_time} clock={clock} />
          <SettlementTime terms={terms} clock={clock} />
          <TradedVolume terms={terms} />
        </Cell>
        <Cell kind="mark">
          <RiskBadge mark={riskMark(market)} />
        </Cell>
        <Cell kind="books">
          <BookAge venue="venue_a" market={market} clock={clock} />
          <BookAge venue="venue_b" market={market} clock={clock} />
        </Cell>
      </GridRow>
    );
  }
}

/** The edge after fees, and the profit of the open opportunity. */
function EdgeCell({ edge, profit }: { edge: Edge; profit: number | null }) {
  if (edge.points === null)
    return (
      <span class="no-edge" title={edge.why}>
        {NO_VALUE}
        <span class="visually-hidden"> {edge.why}</span>
      </span>
    );
  return (
    <>
      <span class={`edge-value ${profit !== null ? 'is-open' : edge.points <= 0 ? 'is-loss' : ''}`}>
        <FlashingValue
          text={edge.points.toFixed(2)}
          title={
            profit === null
              ? `${edge.points} points of the $1 payout at the best asks, after fees. No opportunity is open.`
              : `${edge.points} points of the $1 payout, after fees: an open opportunity`
          }
        />
      </span>
      {profit !== null && (
        <span class="profit" title={`Profit of the open opportunity at its whole size: ${exactDollars(profit)}`}>
          {dollars(profit)}
        </span>
      )}
    </>
  );
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
