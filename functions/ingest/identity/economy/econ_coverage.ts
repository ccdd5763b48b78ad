import type { Band } from './econ_band.ts';

/** Returns the first and last step of the published figure for which a band pays. */
function stepsOf(band: Band, grid: number): [number, number] {
  const at = (value: string | null): number => Math.round(Number(value) / grid);
  const steps: { [comparison in Band['comparison']]: () => [number, number] } = {
    equal: () => [at(band.low), at(band.low)],
    within: () => [at(band.low), at(band.high)],
    above: () => [at(band.low) + 1, Infinity],
    at_or_above: () => [at(band.low), Infinity],
    below: () => [-Infinity, at(band.high) - 1],
    at_or_below: () => [-Infinity, at(band.high)],
  };
  return steps[band.comparison]();
}

/**
 * Whether the bands, sorted from the lowest, cover every possible figure exactly once. Two buckets
 * may share an edge, because the rules give the edge to one of them.
 */
export function coversAll(bands: readonly Band[], grid: string): boolean {
  const steps = bands.map((band) => stepsOf(band, Number(grid)));
  const closes = steps.slice(1).every(([from], at) => {
    const ended = steps[at]?.[1] ?? Infinity;
    const shared = from === ended && (bands[at]?.comparison === 'within' || bands[at + 1]?.comparison === 'within');
    return from === ended + 1 || shared;
  });
  return steps.length > 1 && closes && steps[0]?.[0] === -Infinity && steps.at(-1)?.[1] === Infinity;
}
