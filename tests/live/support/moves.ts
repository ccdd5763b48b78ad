import type { Page } from 'playwright-core';

/** Moves the prices of all markets, or of the first `markets`, in one batch. */
export const moveAllPrices = (page: Page, markets?: number): Promise<void> =>
  page.evaluate(`recording.moveAllPrices(${markets ?? ''})`);

/** Moves the prices ten times a second. */
export const moveTenTimesASecond = (page: Page, times: number, markets?: number): Promise<void> =>
  page.evaluate(`(async () => {
    for (let turn = 0; turn < ${times}; turn++) {
      recording.moveAllPrices(${markets ?? ''});
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })()`);
