import { duration } from '../components/format.ts';
import { type GapTrail, trailLines } from './gap_trails.ts';

const WIDTH = 84;
const HEIGHT = 18;

/** How the gap of a market moved since the page opened. The text names the period. */
export function Sparkline({ trail }: { trail: GapTrail }) {
  const gaps = trail.flatMap(({ gap }) => (gap === null ? [] : [gap]));
  const first = trail[0];
  const last = trail.at(-1);
  if (!first || !last || gaps.length < 2) return <span class="sparkline" aria-hidden="true" />;
  const text = `Gap of the last ${duration(last.t - first.t)}: ${Math.min(...gaps).toFixed(1)} to ${Math.max(...gaps).toFixed(1)} points`;
  return (
    <svg class="sparkline" viewBox={`-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`} role="img" aria-label={text}>
      <title>{text}</title>
      {trailLines(trail, WIDTH, HEIGHT).map((line) => (
        <path key={line.slice(0, 12)} d={line} />
      ))}
    </svg>
  );
}
