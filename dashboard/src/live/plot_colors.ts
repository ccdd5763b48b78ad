import { useEffect, useState } from 'preact/hooks';

export type PlotColors = Record<'venueA' | 'venueB' | 'gap' | 'text' | 'grid', string>;

/** The colours of the theme as a canvas needs them: resolved, not `var(…)` or `light-dark(…)`. */
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
    gap: resolve('--gap-fill'),
    text: resolve('--muted'),
    grid: resolve('--line'),
  };
  probe.remove();
  return colors;
}

/** As they are now, and again whenever the reader or their system changes the theme. */
export function usePlotColors(): PlotColors {
  const [colors, setColors] = useState(readColors);
  useEffect(() => {
    const look = () => setColors(readColors());
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', look);
    const chosen = new MutationObserver(look);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      dark.removeEventListener('change', look);
      chosen.disconnect();
    };
  }, []);
  return colors;
}
