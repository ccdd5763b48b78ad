import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Found = { id: string; impact: string | null; nodes: { html: string; failureSummary: string }[] };

const rules = {
  /** WCAG 2.2 A and AA, best practice. */
  all: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  /** What another theme can change: it has other colours, and the same elements. */
  colours: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
};

/**
 * The serious and critical violations that axe finds on the page. `within`: selector of the part to
 * check, because a long page takes many seconds.
 */
export async function axeViolations(
  page: Page,
  within = ':root',
  which: keyof typeof rules = 'all',
): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(`${axe}; 0`);
  const found = await page.evaluate<Found[]>(
    `axe.run(${JSON.stringify(within)}, { runOnly: ${JSON.stringify(rules[which])}, resultTypes: ['violations'] })
      .then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  );
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`),
    );
}
