/**
 * A script for Page.addScript that measures cumulative layout shift into window.shifts: the largest
 * sum of shifts that are less than 1 s apart and span at most 5 s. Shifts after user input do not
 * count.
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
