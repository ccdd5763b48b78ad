/** The axis: a logarithmic rate in percent. 30,000 occasions without a divergence give 0.01 %. */
const AXIS_FROM = 0.01;
const AXIS_TO = 100;
export const axisTicks = [0.01, 0.1, 1, 10, 100] as const;

/** The place of a rate on the axis, in percent of its width. */
export function placeOf(rate: number): number {
  const bounded = Math.min(AXIS_TO, Math.max(AXIS_FROM, rate));
  return (100 * Math.log10(bounded / AXIS_FROM)) / Math.log10(AXIS_TO / AXIS_FROM);
}
