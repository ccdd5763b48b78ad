import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { PlotColors } from './plot_colors.ts';

/**
 * The time axis spans at least 15 minutes, so that one minute of history does not fill the plot.
 */
const MIN_RANGE_S = 900;

type PlotProps = {
  data: uPlot.AlignedData;
  options(width: number): uPlot.Options;
  /** The plot is made again when one of these changes. New data is drawn into the same plot. */
  on: readonly unknown[];
  height: number;
  label: string;
};

/** A plot over time that keeps the width of its place. */
export function Plot({ data, options, on, height, label }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const current = useRef({ data, options });
  current.current = { data, options };

  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const chart = new uPlot(current.current.options(element.clientWidth), current.current.data, element);
    plot.current = chart;
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [...on]);

  useEffect(() => {
    if (plot.current?.data !== data) plot.current?.setData(data);
  }, [data]);

  return <div ref={container} class="plot" role="img" aria-label={label} style={{ height: `${height}px` }} />;
}

export const axisOf = (colors: PlotColors): uPlot.Axis => ({
  stroke: colors.text,
  grid: { stroke: colors.grid, width: 1 },
  ticks: { show: false },
  font: '12px system-ui',
});

/** Steps, because a price holds until it changes. */
export const stepped = (): Pick<uPlot.Series, 'paths'> => {
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return paths ? { paths } : {};
};

export const inUtc = (seconds: number): Date => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC');

/** The range of a time axis. */
export const fromEarlier = (_: uPlot, first: number, last: number): [number, number] => [
  Math.min(first, last - MIN_RANGE_S),
  last,
];

/** Axis label in UTC: 14:05, or the date at midnight. */
export function clockOf(seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  return iso.slice(11, 16) === '00:00' ? iso.slice(5, 10) : iso.slice(11, 16);
}
