import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { describe, onTestFinished } from 'vitest';
import { repository } from '../../../local/platform/postgres/binaries.ts';
import { useSharedPart } from '../../support/shared_part.ts';
import { waitUntil } from '../../support/wait_until.ts';
import type { BuiltPages } from './build.ts';
import { connectChromium, findChromium } from './chromium.ts';
import { recordLayoutShifts } from './layout_shift.ts';

const isInstalled = findChromium() !== undefined;
if (!isInstalled) {
  console.log(
    'The tests of pages are skipped, because Chromium is not on the PATH or in $CHROMIUM. ' +
      'On Debian and Ubuntu, run: apt-get install chromium',
  );
}

/** Tests that need Chromium. They are skipped, with a message, where it is missing. */
export const describeInChromium = describe.skipIf(!isInstalled);

/** Pages that the files of a run share, built once. */
export async function pagesOfRun(name: 'dashboard' | 'harness'): Promise<BuiltPages> {
  return (await useSharedPart<BuiltPages>(name)).facts;
}

let connection: Promise<Browser> | undefined;

/** The Chromium of the run. The files of one process share a connection, which ends with it. */
function browserOfRun(): Promise<Browser> {
  connection ??= useSharedPart<{ endpoint: string }>('chromium').then(({ facts }) => connectChromium(facts.endpoint));
  return connection;
}

/** Reduced motion is on unless `motion` is set, so that nothing moves while a test looks. */
export type Viewport = { width: number; height: number; dark?: boolean; motion?: boolean; timezoneId?: string };

/**
 * A page with the errors of its console, the URLs that it requested, and the number of requests
 * that have no response yet.
 */
export type WatchedPage = Page & { readonly errors: string[]; readonly requested: string[]; awaited: number };

/** A machine that is busy takes many times as long as an idle one. */
const PATIENCE_MS = 120_000;

/** Opens a page with cookies and storage of its own. The caller closes its context. */
export async function newPage(viewport: Viewport, browser?: Browser): Promise<WatchedPage> {
  const { width, height, dark, motion, timezoneId } = viewport;
  const context = await (browser ?? (await browserOfRun())).newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: motion ? 'no-preference' : 'reduce',
    ...(timezoneId ? { timezoneId } : {}),
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript({ content: recordLayoutShifts });
  const page: WatchedPage = Object.assign(await context.newPage(), { errors: [], requested: [], awaited: 0 });
  page.on('request', (request) => {
    page.requested.push(request.url());
    page.awaited += 1;
  });
  const answered = () => {
    page.awaited -= 1;
  };
  page.on('requestfinished', answered);
  page.on('requestfailed', answered);
  page.on('pageerror', (error) => page.errors.push(String(error.stack ?? error)));
  page.on('console', (message) => {
    if (message.type() === 'error') page.errors.push(message.text());
  });
  return page;
}

/** The page that the last test left. */
let left: WatchedPage | undefined;
/** Pages that keep something that cannot be taken back. */
const spent = new WeakSet<Page>();

/**
 * Opens a page for the test that runs. It is the page of the test before, without storage and
 * permissions, because a new one takes twice the CPU: its process, its cache and its code are cold.
 */
export async function openPage(viewport: Viewport): Promise<WatchedPage> {
  const isPlain = !viewport.motion && !viewport.timezoneId;
  const page = (isPlain && left) || (await newPage(viewport));
  if (page === left) {
    left = undefined;
    await resize(page, viewport);
  }
  onTestFinished(async () => {
    if (!isPlain || left || !(await isClean(page))) await page.context().close();
    else left = page;
  });
  return page;
}

/** Draws the page again, in another size or theme. */
export async function resize(page: Page, { width, height, dark }: Viewport): Promise<void> {
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
}

/** Leaves a page as a new one is. False: that is not possible. */
async function isClean(page: WatchedPage): Promise<boolean> {
  const context = page.context();
  if (spent.has(page) || context.pages().length > 1) return false;
  try {
    await context.setOffline(false);
    await context.clearPermissions();
    await page.unrouteAll();
    await page.mouse.move(0, 0);
    // An empty document of the site, because storage belongs to an origin.
    const empty = `${new URL(page.url()).origin}/empty`;
    await page.route(empty, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<link rel=icon href=data:,>' }),
    );
    await page.goto(empty);
    await page.evaluate('localStorage.clear(); sessionStorage.clear()');
    await page.unroute(empty);
  } catch {
    return false;
  }
  Object.assign(page, { awaited: 0 });
  page.errors.length = 0;
  page.requested.length = 0;
  return true;
}

/** From now on the timers and times of the page are those of `page.clock`. */
export async function installClock(page: Page): Promise<void> {
  spent.add(page);
  await page.clock.install();
}

/** Waits until the page has the response to each request, and has drawn what it makes of it. */
export async function settle(page: WatchedPage): Promise<void> {
  await waitUntil(
    async () => {
      await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
      return page.awaited === 0;
    },
    { what: 'the page settles', timeoutMs: PATIENCE_MS, evidence: () => `${page.awaited} requests without a response` },
  );
}

/** Waits until the page shows this text. */
export async function waitForText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor();
}

/** Waits until the page at this path is shown, and no element of the one before it. */
export async function waitForPath(page: WatchedPage, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
  await settle(page);
  await page.locator('h1').first().waitFor();
}

/**
 * Lets the clock of the page run until the page shows this text, and returns the seconds. The clock
 * is installed.
 */
export async function runClockUntil(page: Page, text: string | RegExp): Promise<number> {
  const shown = page.getByText(text).filter({ visible: true }).first();
  let seconds = 0;
  await waitUntil(
    async () => {
      if (await shown.isVisible()) return true;
      await page.clock.runFor(1_000);
      seconds += 1;
      return false;
    },
    { what: `the page shows ${text}`, timeoutMs: PATIENCE_MS, everyMs: 0 },
  );
  return seconds;
}

/** Waits until the page has this many elements. */
export async function waitForCount(page: Page, selector: string, many: number): Promise<void> {
  await page.waitForFunction(([selector, many]) => document.querySelectorAll(selector).length === many, [
    selector,
    many,
  ] as const);
}

/** Waits until the top of an element is this far from the top of the window, in px. */
export async function waitForTop(page: Page, selector: string, from: number, to: number): Promise<void> {
  await page.waitForFunction(
    ([selector, from, to]) => {
      const top = document.querySelector(selector)?.getBoundingClientRect().top ?? Number.NaN;
      return top >= from && top <= to;
    },
    [selector, from, to] as const,
  );
}

/** Presses the button or link with this name: the last one, such as that of an open dialog. */
export async function press(page: Page, name: string | RegExp): Promise<void> {
  const named = { name, exact: true };
  await page.getByRole('button', named).or(page.getByRole('link', named)).last().click();
}

/** With PICTURES=1, writes a picture of the page into test-results/. */
export async function picture(page: Page, name: string): Promise<void> {
  if (!process.env.PICTURES) return;
  const path = join(repository, 'test-results', `${name}.png`);
  mkdirSync(dirname(path), { recursive: true });
  await page.screenshot({ path });
}

/** The text of each of these elements of the page, or of a part of it, with single spaces. */
export const textsOf = async (within: Page | Locator, selector: string): Promise<string[]> =>
  (await within.locator(selector).allInnerTexts()).map((text) => text.replace(/\s+/g, ' ').trim());
