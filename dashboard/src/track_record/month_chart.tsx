import { count } from '../components/format.ts';
import { monthName, monthText, outcomes } from './outcomes.ts';
import type { Month } from './track_record.ts';

const HEIGHT = 190;
/** For the count above and the two lines of text below a bar. */
const TOP = 20;
const BOTTOM = 38;
/** A single loss among hundreds stays visible. */
const MIN_PART = 5;

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/**
 * Opportunities by month as stacked bars. Positions across are percentages, so the text keeps its
 * size at every width. Each part has a colour and a pattern.
 */
export function MonthChart({ months }: { months: readonly Month[] }) {
  const most = Math.max(1, ...months.map((month) => month.shown));
  const slot = 100 / Math.max(1, months.length);
  return (
    <figure class="month-chart">
      <svg role="img" aria-label="Shown opportunities by month and what they paid" height={HEIGHT}>
        <Patterns />
        <line class="axis" x1="0" x2="100%" y1={HEIGHT - BOTTOM + 0.5} y2={HEIGHT - BOTTOM + 0.5} />
        {months.map((month, at) => (
          <Bar key={month.month} month={month} at={at} slot={slot} most={most} />
        ))}
      </svg>
      <figcaption class="small muted legend">
        {outcomes.map(({ key, label }) => (
          <span key={key}>
            <svg width="12" height="12" aria-hidden="true">
              <rect class={`part ${key}`} x="0.5" y="0.5" width="11" height="11" />
            </svg>
            {label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function Bar({ month, at, slot, most }: { month: Month; at: number; slot: number; most: number }) {
  const middle = `${(at + 0.5) * slot}%`;
  const parts = partsOf(month, (HEIGHT - TOP - BOTTOM) / most);
  const top = parts.at(-1)?.y ?? HEIGHT - BOTTOM;
  // The first month has its year unless January is next to it.
  const hasYear = month.month.endsWith('-01') || (at === 0 && !/-1[12]$/.test(month.month));
  return (
    <g>
      <title>{monthText(month)}</title>
      {parts.map(({ key, y, height }) => (
        <rect
          key={key}
          class={`part ${key}`}
          x={`${(at + 0.2) * slot}%`}
          width={`${slot * 0.6}%`}
          y={y}
          height={height}
        />
      ))}
      {month.shown > 0 && (
        <text class="count" x={middle} y={top - 6}>
          {month.shown < 10_000 ? count(month.shown) : compact.format(month.shown)}
        </text>
      )}
      <text x={middle} y={HEIGHT - BOTTOM + 17}>
        {monthName(month.month)}
      </text>
      {hasYear && (
        <text x={middle} y={HEIGHT - BOTTOM + 33}>
          {month.month.slice(0, 4)}
        </text>
      )}
    </g>
  );
}

/** The parts of a bar from the bottom to the top, in pixels. */
function partsOf(month: Month, perOne: number): { key: string; y: number; height: number }[] {
  let y = HEIGHT - BOTTOM;
  return outcomes.flatMap(({ key }) => {
    if (month[key] === 0) return [];
    const height = Math.max(MIN_PART, month[key] * perOne);
    y -= height;
    return [{ key, y, height }];
  });
}

/** Hatches, so that the parts differ without their colours. */
function Patterns() {
  return (
    <defs>
      <pattern id="hatch-less" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect class="less-ground" width="6" height="6" />
        <rect class="less-line" width="3" height="6" />
      </pattern>
    </defs>
  );
}
