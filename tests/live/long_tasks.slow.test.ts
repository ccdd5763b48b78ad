import { expect, test } from 'vitest';
import { forgetLayoutShifts, layoutShifts } from '../dashboard/support/layout_shift.ts';
import { describeInChromium, settle } from '../dashboard/support/page.ts';
import { openTracedPage, taskTimes } from '../dashboard/support/tasks.ts';
import { servedHarness } from './support/browser.ts';
import { moveTenTimesASecond } from './support/moves.ts';

/** CPU of the live list while its prices move, relative to work of a fixed size. */
describeInChromium('the list of markets, on recorded frames', () => {
  const live = servedHarness();

  test('1,000 rows at ten updates a second cause no long task and no layout shift', async () => {
    const page = await openTracedPage({ width: 1440, height: 1000, motion: true });
    await page.goto(`${live.base}/?page=markets&rows=1000`);
    await page.locator('.market-row .title').nth(10).waitFor();
    await settle(page);
    await forgetLayoutShifts(page);
    const times = await taskTimes(page, 2, () => moveTenTimesASecond(page, 50));
    const shifts = await layoutShifts(page);
    const drawn = await page.locator('.market-row .title').count();
    console.log(`1,000 rows, 50 updates of all of them: ${drawn} rows drawn, shift ${shifts.largest},`, times);
    expect(times.tasks).toBeGreaterThan(50);
    expect(times.longest).toBeLessThan(2 * times.yardstick);
    expect(shifts).toEqual({ largest: 0, parts: [] });
    // Rows outside the viewport are not rendered.
    expect(drawn).toBeLessThan(60);
    expect(await page.evaluate('live.store.markets.size')).toBeGreaterThan(900);
  });

  test('on a CPU of a quarter of the speed, 1,000 rows of which 20 change ten times a second cause no long task', async () => {
    const page = await openTracedPage({ width: 1440, height: 1000, motion: true });
    await page.goto(`${live.base}/?page=markets&rows=1000`);
    await page.locator('.market-row .title').nth(10).waitFor();
    await settle(page);
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    // The yardstick is work of 200 ms on this CPU.
    const times = await taskTimes(page, 0.5, () => moveTenTimesASecond(page, 50, 20));
    console.log('1,000 rows, 50 updates of 20 of them, a quarter of the speed:', times);
    expect(times.tasks).toBeGreaterThan(50);
    expect(times.longest).toBeLessThan(0.5 * times.yardstick);
  });
});
