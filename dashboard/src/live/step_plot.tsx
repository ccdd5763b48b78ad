import { useMemo } from 'preact/hooks';
import type uPlot from 'uplot';
import type { Lines } from './history_lines.ts';
import { axisOf, clockOf, fromEarlier, inUtc, Plot, stepped } from './plot.tsx';
import type { PlotColors } from './plot_colors.ts';

const HEIGHT = 190;

export type Readout = { t: number; venue_a: number | null; venue_b: number | null } | null;

type PlotProps = {
  lines: Lines;
  colors: PlotColors;
  /** Plots with the same key show the same time under the pointer. */
  sync: string;
  label: string;
  onReadout(readout: Readout): void;
};

/**
 * Both asks as step lines with the spread shaded. The line of venue_b is dashed, so colour is not
 * the only difference.
 */
export function StepPlot({ lines, colors, sync, label, onReadout }: PlotProps) {
  const data = useMemo(() => plotDataOf(lines), [lines]);
  return (
    <Plot
      data={data}
      options={(width) => optionsOf(width, colors, sync, onReadout)}
      on={[colors, sync]}
      height={HEIGHT}
      label={label}
    />
  );
}

function plotDataOf({ t, venue_a, venue_b }: Lines): uPlot.AlignedData {
  return [t, venue_a, venue_b];
}

function optionsOf(
  width: number,
  colors: PlotColors,
  sync: string,
  onReadout: (readout: Readout) => void,
): uPlot.Options {
  const axis = axisOf(colors);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: sync }, y: false, drag: { x: false, y: false }, points: { size: 7 } },
    padding: [8, 8, 0, 0],
    tzDate: inUtc,
    scales: {
      x: { range: fromEarlier },
      y: { range: (_, least, most) => rangeOf(least, most) },
    },
    series: [
      {},
      { stroke: colors.venueA, width: 2, ...stepped(), points: lonePoints(colors.venueA) },
      {
        stroke: colors.venueB,
        width: 2,
        dash: [6, 3],
        ...stepped(),
        points: lonePoints(colors.venueB),
      },
    ],
    bands: [
      { series: [1, 2], fill: colors.spread },
      { series: [2, 1], fill: colors.spread },
    ],
    axes: [
      { ...axis, size: 28, space: 70, values: (_, times) => times.map(clockOf) },
      { ...axis, size: 46, space: 32, values: (_, asks) => asks.map((ask) => `${ask}¢`) },
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx }, data: [t, a, b] }) => {
          const at = idx === null || idx === undefined ? undefined : t[idx];
          onReadout(
            at === undefined ? null : { t: at, venue_a: a?.[idx ?? 0] ?? null, venue_b: b?.[idx ?? 0] ?? null },
          );
        },
      ],
    },
  };
}

/** A point without neighbours makes no line, so it is drawn as a dot. */
function lonePoints(color: string): uPlot.Series.Points {
  return {
    show: true,
    size: 6,
    fill: color,
    filter: ({ data }, series) => {
      const asks = data[series] ?? [];
      return [...asks.keys()].filter((at) => asks[at] != null && asks[at - 1] == null && asks[at + 1] == null);
    },
  };
}

/**
 * At least one cent of margin and four cents in total, so that a quiet market does not look
 * volatile.
 */
function rangeOf(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 100];
  const spare = Math.max(1, (4 - (most - least)) / 2);
  return [Math.max(0, Math.floor(least - spare)), Math.min(100, Math.ceil(most + spare))];
}
