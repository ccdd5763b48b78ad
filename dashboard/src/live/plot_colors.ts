import { useEffect, useState } from 'preact/hooks';

export type PlotColors = Record<'venueA' | 'venueB' | 'spread' | 'line' | 'open' | 'text' | 'grid', string>;

/** The theme colours resolved for a canvas, which cannot use `var(…)` or `light-dark(…)`. */
function readColors(): PlotColors {
  const probe = document.createElement('span');
  probe.hidden = true;
  document.body.append(probe);
  const resolve = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colors = {
    venueA: resolve('--venue-a'),
    venueB: resolve('--venue-b'),
    spread: resolve('--spread-fill'),
    line: resolve('--accent'),
    open: resolve('--open-fill'),
    text: resolve('--muted'),
    grid: resolve('--line'),
  };
  probe.remove();
  return colors;
}

/** The current plot colours; renders again when the theme changes. */
export function usePlotColors(): PlotColors {
  const [colors, setColors] = useState(readColors);
  useEffect(() => {
    const update = () => setColors(readColors());
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', update);
    const chosen = new MutationObserver(update);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', update);
      chosen.disconnect();
    };
  }, []);
  return colors;
}
