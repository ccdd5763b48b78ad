import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { Browser, findChromium } from '../../dashboard/support/chromium.ts';
import { serveHarness } from './harness.ts';

/** The path of Chromium, or undefined after logging that `file` is skipped. */
export function chromiumOrSkip(file: string): string | undefined {
  const program = findChromium();
  if (!program) console.log(`${file} is skipped: there is no Chromium on the PATH or in $CHROMIUM.`);
  return program ?? undefined;
}

/**
 * Serves the harness and starts a browser before the tests of this `describe`; closes both after
 * them.
 */
export function harnessInChromium(program: string | undefined, pictures: string) {
  const live: { browser?: Browser; site?: Awaited<ReturnType<typeof serveHarness>> } = {};
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    live.browser = new Browser(program ?? '');
    live.site = await serveHarness();
  }, 180_000);
  afterAll(async () => {
    await live.browser?.close();
    await live.site?.close();
  });
  return {
    get browser(): Browser {
      if (!live.browser) throw new Error('The browser starts in beforeAll. Use it inside a test only.');
      return live.browser;
    },
    get base(): string {
      return live.site?.base ?? '';
    },
  };
}
