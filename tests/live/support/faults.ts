import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '../../dashboard/support/chromium.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds on the page that is serious or worse, each with the first place where it is. */
export async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(`${axe}; 0`);
  return await page.evaluate<string[]>(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => id + ': ' + nodes.length + ' × ' + nodes[0].html.slice(0, 160)))`);
}
