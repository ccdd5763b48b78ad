import { useMemo, useState } from 'preact/hooks';
import { duration, exactUtc } from '../components/format.ts';
import { edgeOf } from './amounts.ts';
import { ClosedTable } from './closed_table.tsx';
import { edgeOfMarket } from './edge_after_fees.ts';
import { type EdgeLines, edgeLinesOf, type OpenTime, openTimesIn, sampleOf, timeAboveZero } from './edge_lines.ts';
import { EdgePlot } from './edge_plot.tsx';
import type { ClosedOpportunities, History, Market, MarketDetail, Opportunity, Point } from './frames.ts';
import { HOUR_MS, RangeChoice } from './history_ranges.tsx';
import type { MarketTerms } from './market_terms.ts';
import { usePlotColors } from './plot_colors.ts';

type EdgeHistoryProps = {
  market: MarketDetail;
  history: History;
  trails: ReadonlyMap<string, readonly Point[]>;
  terms: MarketTerms | undefined;
  /** Opportunities of this market that have closed, and the one that is open. */
  closed: ClosedOpportunities | undefined;
  open: Opportunity | undefined;
  /** Market time, epoch ms; NaN before it is known. */
  now: number;
};

/** The edge after fees over time, with the times at which an opportunity was open. */
export function EdgeHistory({ market, history, trails, terms, closed, open, now }: EdgeHistoryProps) {
  const [range, setRange] = useState(24 * HOUR_MS);
  const impossible = alwaysMissing(market as Market, terms);
  return (
    <section class="card" aria-labelledby="edge-history">
      <div class="card-head">
        <h2 id="edge-history">Edge after fees</h2>
        {!impossible && <RangeChoice range={range} onChange={setRange} />}
      </div>
      <div class="card-body">
        {impossible ? (
          <p class="muted">{impossible}</p>
        ) : (
          <EdgeFigure {...{ market, history, trails, closed, open, now, range }} terms={terms as MarketTerms} />
        )}
        {closed && closed.opportunities.length > 0 && (
          <details class="as-table">
            <summary>
              {closed.has_more ? 'The last ' : ''}
              {closed.count} {closed.count === 1 ? 'opportunity' : 'opportunities'} closed within 7 days
            </summary>
            <ClosedTable rows={closed.opportunities} label="Opportunities of this market that have closed" />
          </details>
        )}
      </div>
    </section>
  );
}

/** Why no edge of this market can be computed at any time; null when it can. */
function alwaysMissing(market: Market, terms: MarketTerms | undefined): string | null {
  const asks = market.outcomes.map((outcome) => ({ ...outcome, venue_a: 0.5, venue_b: 0.5 }));
  return edgeOfMarket({ ...market, outcomes: asks }, terms, Number.NaN).why;
}

type FigureProps = Omit<EdgeHistoryProps, 'terms'> & { terms: MarketTerms; range: number };

function EdgeFigure({ market, history, trails, terms, closed, open, now, range }: FigureProps) {
  const colors = usePlotColors();
  const [readout, setReadout] = useState<{ t: number; edge: number | null } | null>(null);
  const until = Number.isNaN(now) ? history.to : Math.max(now, history.to);
  // One of 1,440 parts: the line is not computed again for each price, which would take too long.
  const step = Math.max(1000, range / 1440);
  const to = Math.ceil(until / step) * step;
  const from = to - range;
  const keys = market.outcomes.map(({ key }) => key).join(' ');
  const lines = useMemo(
    () => edgeLinesOf(keys.split(' '), history, trails, terms, { from, to: Math.min(to, until) }),
    [keys, history, terms, from, to],
  );
  const times = useMemo(
    () => openTimesIn(openTimesOf(closed, open?.detected_at ?? null, until), { from, to: until }),
    [closed, open?.detected_at, from, to],
  );
  if (lines.t.length === 0)
    return <p class="muted no-points">No prices in this range yet. A point is added every minute.</p>;
  return (
    <figure class="outcome-plot">
      <figcaption>
        <p class="plot-legend small muted">
          <span class="key">
            <span class="line edge" aria-hidden="true" /> points at the best asks
          </span>
          <span class="key">
            <span class="line spread" aria-hidden="true" /> above zero
          </span>
          <span class="key">
            <span class="line open" aria-hidden="true" /> an opportunity was open
          </span>
          <span>Times are UTC.</span>
        </p>
        <p class="small muted readout">{readoutText(readout, lines, times)}</p>
      </figcaption>
      <EdgePlot
        lines={lines}
        open={times}
        colors={colors}
        label={`Edge after fees. ${summaryOf(lines, times)}`}
        onReadout={setReadout}
      />
      <p class="small muted">
        Computed at the fees of both venues and the best ask of each, one sample{' '}
        {sampleOf({ from, to }) > 60_000 ? 'every 5 minutes' : 'a minute'}. Past sizes are not known, so a time above
        zero is no opportunity by itself.
      </p>
    </figure>
  );
}

function openTimesOf(closed: ClosedOpportunities | undefined, openedAt: string | null, now: number): OpenTime[] {
  const past = (closed?.opportunities ?? []).map(({ opened_at, closed_at }) => ({
    from: Date.parse(opened_at),
    to: Date.parse(closed_at),
  }));
  return openedAt ? [...past, { from: Date.parse(openedAt), to: now }] : past;
}

function readoutText(
  readout: { t: number; edge: number | null } | null,
  lines: EdgeLines,
  times: readonly OpenTime[],
): string {
  if (!readout) return summaryOf(lines, times);
  const { t, edge } = readout;
  const isOpen = times.some(({ from, to }) => from <= t * 1000 && t * 1000 <= to);
  const text = edge === null ? 'no edge: an outcome has no ask, or no sample' : edgeOf(edge);
  return `${exactUtc(t * 1000)} · ${text}${isOpen ? ' · an opportunity was open' : ''}`;
}

/** The range in a sentence, which is also the text of the picture. */
function summaryOf(lines: EdgeLines, times: readonly OpenTime[]): string {
  const known = lines.edge.filter((edge) => edge !== null);
  if (known.length === 0) return 'No edge in this range: an outcome has no ask on one of the venues.';
  const above = timeAboveZero(lines);
  const count = times.length === 1 ? '1 opportunity' : `${times.length || 'No'} opportunities`;
  return `From ${edgeOf(Math.min(...known))} to ${edgeOf(Math.max(...known))}; above zero for ${above === 0 ? 'no time' : duration(above)}. ${count} in this range.`;
}
