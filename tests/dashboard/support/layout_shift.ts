/**
 * Put on a page before it loads: what jumps, counted into window.shifts as browsers count it (cumulative layout shift: the worst run of
 * shifts that are less than a second apart and five in all; what a reader's own click moves is not counted).
 */
export const recordLayoutShifts = `
  window.shifts = 0;
  window.shifted = [];
  let [began, last, sum] = [-Infinity, -Infinity, 0];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.hadRecentInput) continue;
      if (entry.startTime - last > 1000 || entry.startTime - began > 5000) [began, sum] = [entry.startTime, 0];
      last = entry.startTime;
      sum += entry.value;
      window.shifts = Math.max(window.shifts, sum);
      window.shifted.push(...entry.sources.map((one) => (one.node?.className || one.node?.nodeName || '?') + ' ' + entry.value.toFixed(4)));
    }
  }).observe({ type: 'layout-shift', buffered: true });
`;
