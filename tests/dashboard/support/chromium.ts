import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The path of Chromium: $CHROMIUM, or the first on the PATH. It is no npm dependency, because its
 * download is too large.
 */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.CHROMIUM ?? '', ...places].find((place) => place !== '' && existsSync(place));
}

/**
 * Without these features a page has one process. With them Chromium 156 starts three for each
 * browser context: one for the popup of its address bar, which no test shows, and one in reserve
 * (0.5 s of CPU instead of 0.25 s, 28 November 2026). The flag replaces that of Playwright, so its
 * features that concern pages are repeated.
 */
const withoutFeatures = [
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'SpareRendererForSitePerProcess'],
  ...['DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'MediaRouter', 'OptimizationHints', 'PaintHolding'],
];

const quiet = ['no-first-run', 'disable-background-networking', 'disable-component-update', 'disable-sync'];

function options(): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium on the PATH or in $CHROMIUM.');
  return {
    executablePath,
    // The sandbox of Chromium does not start for root.
    chromiumSandbox: false,
    args: [
      ...['disable-gpu', 'disable-quic', ...quiet].map((name) => `--${name}`),
      `--disable-features=${withoutFeatures.join(',')}`,
    ],
  };
}

/** Starts a Chromium that several processes can connect to. */
export const serveChromium = (): Promise<BrowserServer> => chromium.launchServer(options());

/** Starts a Chromium for the caller alone. */
export const launchChromium = (): Promise<Browser> => chromium.launch(options());

/** Connects to the Chromium at `endpoint`. `close` of the result closes its own pages only. */
export const connectChromium = (endpoint: string): Promise<Browser> => chromium.connect(endpoint);
