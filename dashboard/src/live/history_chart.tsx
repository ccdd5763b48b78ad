import { useMemo, useState } from 'preact/hooks';
import { exactUtc, NO_VALUE, points } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import type { History, Outcome, Point } from './frames.ts';
import { changesOf, type Lines, linesOf } from './history_lines.ts';
import { HOUR_MS, RangeChoice } from './history_ranges.tsx';
import { usePlotColors } from './plot_colors.ts';
import { type Readout, StepPlot } from './step_plot.tsx';

/** Plots shown at first. A market can have thirty outcomes; a button shows the rest. */
const INITIAL_PLOTS = 3;

/** Price history: one plot per outcome, all over the same time range. */
export function HistoryChart({
  history,
  outcomes,
  trails,
  now,
}: {
  history: History;
  outcomes: readonly Outcome[];
  trails: ReadonlyMap<string, readonly Point[]>;
  now: number;
}) {
  const [range, setRange] = useState(6 * HOUR_MS);
  const [all, setAll] = useState(false);
  const shown = all ? outcomes : outcomes.slice(0, INITIAL_PLOTS);
  const to = Number.isNaN(now) ? history.to : Math.max(now, history.to);
  return (
    <section class="card" aria-labelledby="moved">
      <div class="card-head">
        <h2 id="moved">Price history</h2>
        <RangeChoice range={range} onChange={setRange} />
      </div>
      <div class="card-body">
        <p class="plot-legend small muted">
          <span class="line venue_a" aria-hidden="true" /> ask on venue_a
          <span class="line venue_b" aria-hidden="true" /> ask on venue_b
          <span class="line spread" aria-hidden="true" /> spread between them. Times are UTC.
        </p>
        <div class="plots">
          {shown.map((outcome) => (
            <OutcomePlot
              key={outcome.key}
              outcome={outcome}
              past={history.series.find((series) => series.outcome === outcome.key)?.points ?? []}
              trail={trails.get(outcome.key) ?? []}
              from={to - range}
              to={to}
            />
          ))}
        </div>
        {outcomes.length > INITIAL_PLOTS && (
          <button type="button" class="button little" onClick={() => setAll(!all)}>
            {all ? 'Show fewer' : `Show all ${outcomes.length} outcomes`}
          </button>
        )}
      </div>
    </section>
  );
}

type OutcomePlotProps = { outcome: Outcome; past: readonly Point[]; trail: readonly Point[]; from: number; to: number };

function OutcomePlot({ outcome, past, trail, from, to }: OutcomePlotProps) {
  const colors = usePlotColors();
  const [readout, setReadout] = useState<Readout>(null);
  const lines = useMemo(() => linesOf(past, trail, { from, to }), [past, trail, from, to]);
  const last = lastOf(lines);
  return (
    <figure class="outcome-plot">
      <figcaption>
        <h3>{outcome.name}</h3>
        <p class="small muted readout">{lines.t.length === 0 ? '' : readoutText(readout ?? last)}</p>
      </figcaption>
      {lines.t.length === 0 ? (
        <p class="muted no-points">No prices in this range yet. A point is added every minute.</p>
      ) : (
        <StepPlot
          lines={lines}
          colors={colors}
          sync="market"
          label={`${outcome.name}: ${readoutText(last)}`}
          onReadout={setReadout}
        />
      )}
      <details class="as-table">
        <summary>As a table</summary>
        <ChangesTable lines={lines} />
      </details>
    </figure>
  );
}

const MAX_ROWS = 100;

function ChangesTable({ lines }: { lines: Lines }) {
  const changes = useMemo(() => changesOf(lines, MAX_ROWS), [lines]);
  return (
    <ScrollTable kind="changes" label="Price changes, newest first">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Changed at</th>
            <th scope="col" class="number">
              venue_a
            </th>
            <th scope="col" class="number">
              venue_b
            </th>
            <th scope="col" class="number">
              Spread
            </th>
          </tr>
        </thead>
        <tbody>
          {changes.map((row) => (
            <tr key={row.t}>
              <td>{exactUtc(row.t * 1000)}</td>
              <td class="number">{ask(row.venue_a)}</td>
              <td class="number">{ask(row.venue_b)}</td>
              <td class="number">{spread(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}

function lastOf({ t, venue_a, venue_b }: Lines): Readout {
  const at = t.length - 1;
  return at < 0 ? null : { t: t[at] ?? 0, venue_a: venue_a[at] ?? null, venue_b: venue_b[at] ?? null };
}

/** Values of a line are in cents. */
const ask = (value: number | null): string => (value === null ? NO_VALUE : `${value.toFixed(1)}¢`);

const spread = ({ venue_a, venue_b }: { venue_a: number | null; venue_b: number | null }): string =>
  venue_a === null || venue_b === null ? NO_VALUE : points(Math.abs(venue_a - venue_b));

function readoutText(readout: Readout): string {
  if (!readout) return '';
  return `${exactUtc(readout.t * 1000)} · venue_a ${ask(readout.venue_a)} · venue_b ${ask(readout.venue_b)} · spread ${spread(readout)}`;
}
