import type { Page } from 'playwright-core';

/**
 * A script for Page.addInitScript that measures cumulative layout shift: the largest sum of shifts
 * that are less than 1 s apart and span at most 5 s. Shifts after user input do not count.
 */
export const recordLayoutShifts = `{
  let began, last, sum, shifts;
  const note = (entries) => {
    for (const entry of entries) {
      if (entry.hadRecentInput) continue;
      if (entry.startTime - last > 1000 || entry.startTime - began > 5000) [began, sum] = [entry.startTime, 0];
      last = entry.startTime;
      sum += entry.value;
      shifts.largest = Math.max(shifts.largest, sum);
      const nameOf = ({ node }) => node?.className || node?.nodeName || '?';
      shifts.parts.push(...entry.sources.map((one) => nameOf(one) + ' ' + entry.value.toFixed(4)));
    }
  };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: 'layout-shift', buffered: true });
  window.readLayoutShifts = () => {
    note(observer.takeRecords());
    return shifts;
  };
  window.forgetLayoutShifts = () => {
    observer.takeRecords();
    [began, last, sum, shifts] = [-Infinity, -Infinity, 0, { largest: 0, parts: [] }];
  };
  forgetLayoutShifts();
}`;

/** Largest: the cumulative layout shift. Parts: the elements that moved, with the shift of each. */
export type LayoutShifts = { largest: number; parts: string[] };

/** The layout shifts since the page loaded, or since `forgetLayoutShifts`. */
export const layoutShifts = (page: Page): Promise<LayoutShifts> => page.evaluate('readLayoutShifts()');

/** The page counts layout shifts from now on, also those of the same second. */
export const forgetLayoutShifts = (page: Page): Promise<void> => page.evaluate('forgetLayoutShifts()');
