import { useMemo, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import type { EdgeLines, OpenTime } from './edge_lines.ts';
import { axisOf, clockOf, fromEarlier, inUtc, Plot, stepped } from './plot.tsx';
import type { PlotColors } from './plot_colors.ts';

const HEIGHT = 220;

/** A short opportunity is still visible, px. */
const MIN_OPEN_WIDTH = 3;

type EdgePlotProps = {
  lines: EdgeLines;
  open: readonly OpenTime[];
  colors: PlotColors;
  label: string;
  onReadout(readout: { t: number; edge: number | null } | null): void;
};

/** The edge as a step line. Shaded where it is above zero; a band where an opportunity was open. */
export function EdgePlot({ lines, open, colors, label, onReadout }: EdgePlotProps) {
  // New data draws the same plot again, with the newest times.
  const times = useRef(open);
  times.current = open;
  const data = useMemo<uPlot.AlignedData>(() => [lines.t, lines.edge, lines.tradable], [lines, open]);
  return (
    <Plot
      data={data}
      options={(width) => optionsOf(width, () => times.current, colors, onReadout)}
      on={[colors]}
      height={HEIGHT}
      label={label}
    />
  );
}

function optionsOf(
  width: number,
  open: () => readonly OpenTime[],
  colors: PlotColors,
  onReadout: EdgePlotProps['onReadout'],
): uPlot.Options {
  const axis = axisOf(colors);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    padding: [8, 8, 0, 0],
    tzDate: inUtc,
    scales: { x: { range: fromEarlier }, y: { range: (_, least, most) => rangeOf(least, most) } },
    series: [
      {},
      { stroke: colors.line, width: 2, ...stepped(), points: { show: false } },
      { width: 0, fill: colors.spread, fillTo: () => 0, ...stepped(), points: { show: false } },
    ],
    axes: [
      { ...axis, size: 28, space: 70, values: (_, times) => times.map(clockOf) },
      { ...axis, size: 46, space: 32, values: (_, edges) => edges.map((edge) => String(edge)) },
    ],
    hooks: {
      drawClear: [(plot) => drawOpen(plot, open(), colors.open)],
      draw: [(plot) => drawZero(plot, colors.text)],
      setCursor: [
        ({ cursor: { idx }, data: [t, edge] }) => {
          const at = idx === null || idx === undefined ? undefined : t[idx];
          onReadout(at === undefined ? null : { t: at, edge: edge?.[idx ?? 0] ?? null });
        },
      ],
    },
  };
}

function drawOpen({ ctx, bbox, valToPos }: uPlot, open: readonly OpenTime[], color: string): void {
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.fillStyle = color;
  for (const { from, to } of open) {
    const left = valToPos(from / 1000, 'x', true);
    const width = Math.max(MIN_OPEN_WIDTH * devicePixelRatio, valToPos(to / 1000, 'x', true) - left);
    ctx.fillRect(left, bbox.top, width, bbox.height);
  }
  ctx.restore();
}

/** The line at zero is darker than the grid. */
function drawZero({ ctx, bbox, valToPos }: uPlot, color: string): void {
  const y = Math.round(valToPos(0, 'y', true));
  if (y < bbox.top || y > bbox.top + bbox.height) return;
  ctx.save();
  ctx.strokeStyle = color;
  ctx.lineWidth = devicePixelRatio;
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}

/** Zero is always in the range, which is at least two points high. */
function rangeOf(least: number | null, most: number | null): [number, number] {
  const low = Math.min(least ?? 0, 0);
  const high = Math.max(most ?? 0, 0);
  const spare = Math.max(0.25, (2 - (high - low)) / 2);
  return [Math.floor((low - spare) * 2) / 2, Math.ceil((high + spare) * 2) / 2];
}
