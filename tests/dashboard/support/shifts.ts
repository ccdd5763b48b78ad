/** Put on a page before it loads: counts what jumps (cumulative layout shift) into window.shifts, as browsers count it. */
export const countShifts = `
  window.shifts = 0;
  window.shifted = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      window.shifts += entry.value;
      window.shifted.push(...entry.sources.map((one) => (one.node?.className || one.node?.nodeName || '?') + ' ' + entry.value.toFixed(4)));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;
