import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { ruleIdOf } from '../api/support/rules.ts';
import { pause } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium, type Page, type Viewport } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { ruleAnswers } from './support/rule_world.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/record.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');
const WIDE = { width: 1440, height: 900 };
const viewports: [string, Viewport][] = [
  ['wide', WIDE],
  ['wide_dark', { ...WIDE, dark: true }],
  ['middle', { width: 960, height: 900 }],
  ['narrow', { width: 390, height: 844 }],
  ['narrow_dark', { width: 390, height: 844, dark: true }],
  ['huge', { width: 2560, height: 1440 }],
];
const superBowl = ruleIdOf({ family: 'outright', competition: 'Super Bowl' });
const addressOf = (rule: string) => `/record?rule=${encodeURIComponent(rule)}`;
const rows = `document.querySelectorAll('.rule-item').length`;

/** The page Record on the results of the real SQL functions, with a stub of Auth and PostgREST. */
describe.skipIf(!program)('the page Record', () => {
  let site: AccountSite;
  let answers: AccountSite['api']['answers'];
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    const scopes = ['NFL', 'NBA', 'NHL'].map((scope) => ({ scope, state: 'done', occasions: 900 }));
    [site, answers] = await Promise.all([
      openAccountSite(program ?? ''),
      ruleAnswers([...scopes, { scope: 'Serie A', state: 'reading', occasions: 112 }]),
    ]);
    site.api.answers = { ...defaultAnswers(), ...answers };
  });
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = { ...defaultAnswers(), ...answers };
  });

  const opened = async (viewport: Viewport = WIDE, path = '/record'): Promise<[Page, PageUser]> => {
    const page = await site.signedIn(viewport, path);
    return [page, new PageUser(page)];
  };

  test.each(viewports)(
    '%s: the list and an open rule fit their width, do not shift and pass axe',
    async (name, viewport) => {
      const [page] = await opened(viewport);
      await page.goto(`${site.base}/record`);
      await page.waitFor(`${rows} === 13`);
      await pause(300);
      await page.screenshot(join(pictures, `record_list_${name}.png`));
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      expect([await width(), await axeViolations(page)]).toEqual([viewport.width, []]);
      expect(await page.evaluate('window.shifts'), String(await page.evaluate('window.shifted'))).toBeLessThan(0.02);
      await page.goto(site.base + addressOf(superBowl));
      await page.waitFor(`document.querySelector('.venue-text')`);
      await page.evaluate(`document.querySelectorAll('.divergence details')[1].open = true`);
      await page.waitFor(`document.querySelectorAll('.venue-text').length === 3`);
      await page.evaluate(`document.querySelector('.rule-item.is-open').scrollIntoView()`);
      await page.screenshot(join(pictures, `record_open_${name}.png`));
      expect([await width(), await axeViolations(page), page.errors]).toEqual([viewport.width, [], []]);
    },
  );

  test('counts the rules of each state and shows how far the backtest is', async () => {
    const [, person] = await opened();
    await person.waitForText('13 rules');
    const text = (await person.page.evaluate<string>(`document.querySelector('.card-body').innerText`)).replace(
      /\s+/g,
      ' ',
    );
    expect(text).toContain('3 confirmed 4 pooled 4 unconfirmed 2 withdrawn');
    expect(text).toContain(
      'The backtest is running: 3 of 4 competitions, places and assets read, 0 listings, 2,812 occasions.',
    );
    expect(
      await person.page.evaluate(`document.querySelector('progress').value / document.querySelector('progress').max`),
    ).toBe(0.75);
  });

  test('lists the rules by competition and family, each with its record, its state and its bound', async () => {
    const [page] = await opened();
    await page.waitFor(`${rows} === 13`);
    const names = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.rule-name button')].map((one) => one.innerText.trim())`,
    );
    expect(names.slice(0, 3)).toEqual(['Eredivisie moneyline', 'Ligue 1 moneyline', 'NBA moneyline']);
    expect(names.slice(-2)).toEqual(['Super Bowl outright', 'cb decision']);
    const rowOf = (name: string) =>
      `[...document.querySelectorAll('.rule-item')].find((one) => one.innerText.startsWith('${name}'))`;
    const textOf = async (name: string) =>
      (await page.evaluate<string>(`${rowOf(name)}.innerText`)).replace(/\s+/g, ' ');
    expect(await textOf('NFL total')).toContain('214 agreeing 0 diverging Unconfirmed 85 more needed');
    expect(await textOf('NHL moneyline')).toContain('498 agreeing 1 diverging Withdrawn');
    expect(await textOf('NBA spread')).toContain('Unconfirmed 299 more needed');
    const picture = (name: string) =>
      page.evaluate(
        `${rowOf(name)}.querySelector('svg.bound').ariaLabel ?? ${rowOf(name)}.querySelector('svg.bound').getAttribute('aria-label')`,
      );
    expect(await picture('NFL moneyline')).toBe('At most 0.47 %, within the limit of 1 %.');
    expect(await picture('Serie A moneyline')).toBe(
      'At most 3.17 %, above the limit of 1 %. Its pool: at most 0.77 %, within the limit of 1 %.',
    );
    expect(await picture('NBA spread')).toBe('No occasion has settled yet, so there is no bound. The limit is 1 %.');
  });

  test('ends a bar within the limit in a disc before the limit line, and another one in a diamond behind it', async () => {
    const [page] = await opened();
    await page.waitFor(`${rows} === 13`);
    const places = await page.evaluate<[string, number, number, boolean][]>(
      `[...document.querySelectorAll('svg.bound')].map((one) => [one.getAttribute('class').split(' ')[1], one.querySelector('.range').getBoundingClientRect().right, one.querySelector('.limit').getBoundingClientRect().right, one.querySelector('.mark:not(.is-pool) path') !== null])`,
    );
    expect(places.filter(([, , , isDiamond]) => isDiamond)).toHaveLength(9);
    for (const [state, bound, limit, isDiamond] of places) {
      expect([state, bound > limit]).toEqual([state, isDiamond]);
      if (state === 'confirmed') expect(isDiamond).toBe(false);
      if (state === 'pooled' || state === 'unconfirmed') expect(isDiamond).toBe(true);
    }
  });

  test('filters by family, state and words, keeps them in the address, and clears them when nothing matches', async () => {
    const [page, person] = await opened();
    await page.waitFor(`${rows} === 13`);
    const choose = (label: string, value: string) =>
      page.evaluate(
        `(() => { const one = document.querySelector('select[aria-label="${label}"]'); one.value = '${value}'; one.dispatchEvent(new Event('change', { bubbles: true })); })()`,
      );
    await choose('State', 'pooled');
    await page.waitFor(`${rows} === 4`);
    await choose('Family', 'moneyline');
    await person.fill('Search rules', 'serie');
    await page.waitFor(`${rows} === 1`);
    expect(await page.evaluate('location.search')).toBe('?search=serie&family=moneyline&state=pooled');
    await page.goto(`${site.base}/record?state=refused`);
    await person.waitForText('No rule matches these filters');
    await person.press('Clear filters');
    await page.waitFor(`${rows} === 13`);
  });

  test('opens a rule by keyboard to its terms, with the differing terms of both venues marked', async () => {
    const [page] = await opened();
    await page.waitFor(`${rows} === 13`);
    await page.evaluate(
      `[...document.querySelectorAll('.rule-name button')].find((one) => one.innerText.trim() === 'NYC weather high').focus()`,
    );
    await page.press('Enter');
    await page.waitFor(`document.querySelector('.rule-item.is-open .side-box')`);
    expect(await page.evaluate(`document.activeElement.ariaExpanded`)).toBe('true');
    const terms = `[...document.querySelectorAll('.rule-detail .side-box')].map((one) => [...one.querySelectorAll('li')].map((term) => (term.querySelector('mark') ? '*' : '') + term.innerText))`;
    expect(await page.evaluate(terms)).toEqual([['*station: KNYC', '*rounding: whole'], ['*station: KLGA']]);
    await page.press('Enter');
    await page.waitFor(`!document.querySelector('.rule-item.is-open')`);
    expect(await page.evaluate('location.search')).toBe('');
  });

  test('links the members of a pool to their rules, which open in the place of this one', async () => {
    const [page, person] = await opened(
      WIDE,
      addressOf(ruleIdOf({ competition: 'serie-a', terms_a: 'waits, never played: fair_price' })),
    );
    await person.waitForText('4 rules of the same family with the same terms and texts');
    await person.waitForText('390 agreeing occasions together, so at most 0.77 % diverge');
    await person.press('Ligue 1');
    await page.waitFor(`document.querySelector('.rule-item.is-open')?.innerText.startsWith('Ligue 1')`);
    expect(await page.evaluate(`document.querySelectorAll('.rule-item.is-open').length`)).toBe(1);
    await page.evaluate('history.back()');
    await page.waitFor(`document.querySelector('.rule-item.is-open')?.innerText.startsWith('Serie A')`);
  });

  test('shows each divergence with both payouts and both texts, and marks the differing words', async () => {
    const [page, person] = await opened(WIDE, addressOf(superBowl));
    await person.waitForText('settled 8 Feb 2026, from the settled history');
    const cells = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.payouts tbody tr')].map((row) => row.innerText.replace(/\\s+/g, ' ').trim())`,
    );
    expect(cells).toEqual(['yes differs $0.26 $1.00', 'no differs $0.74 $0.00']);
    const marked = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('.venue-text')].map((one) => [...one.querySelectorAll('mark')].map((word) => word.textContent))`,
    );
    expect(marked[0]).toContain('last traded price before');
    expect(marked[1]).toContain('Dancing on stage counts as a');
    expect(marked.flat()).not.toContain('halftime');
  });

  test('renders hostile text as text: no markup, no character that turns the text around, no wide page', async () => {
    const [page] = await opened({ width: 390, height: 844 }, addressOf(superBowl));
    await page.waitFor(`document.querySelectorAll('.divergence').length === 2`);
    await page.evaluate(`document.querySelectorAll('.divergence details')[1].open = true`);
    await page.waitFor(`document.querySelectorAll('.venue-text').length === 3`);
    const text = await page.evaluate<string>(`document.querySelectorAll('.venue-text')[2].textContent`);
    expect(text).toContain('<script>window.pwned = 1</script><img src=x onerror="window.pwned = 2"><b>bold</b>');
    expect(text).toContain('resolves ‹U+202E›SEY‹U+202C› if the ‹U+0007› show starts. ‹U+2066›isolated‹U+2069›');
    expect(text.endsWith('…')).toBe(true);
    expect(
      await page.evaluate(`document.querySelectorAll('main script, main img, main b:not(.occasions b)').length`),
    ).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.evaluate(`document.querySelector('main').innerText.includes('\\u202e')`)).toBe(false);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.errors).toEqual([]);
  });

  test('shows an empty, a loading and a failed state, and keeps the list when a later read fails', async () => {
    const none = {
      scopes: 0,
      done: 0,
      failed: 0,
      running: 0,
      listings: 0,
      occasions: 0,
      diverging: 0,
      finished_at: null,
    };
    site.api.answers.list_rules = { limit_pct: 1, confidence_pct: 95, has_more: false, backtest: none, rules: [] };
    const [page, person] = await opened();
    await person.waitForText('No rules yet');
    await person.waitForText('The settled history of the venues has not been read yet.');
    site.api.answers.list_rules = new StubError(500, 'XX000', 'internal words of a database');
    await page.goto(`${site.base}/record`);
    await person.waitForText('The service failed.');
    expect(await page.evaluate(`document.body.innerText.includes('internal words')`)).toBe(false);
    site.api.answers.list_rules = answers.list_rules ?? [];
    await person.press('Try again');
    await page.waitFor(`${rows} === 13`);
    site.api.answers.list_rules = new StubError(500, 'XX000', 'internal words of a database');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await person.waitForText('The figures below are from the last successful read.');
    expect(await page.evaluate(rows)).toBe(13);
    site.api.answers.read_rule = new StubError(404, 'rule.not_found', 'This rule does not exist.');
    await person.press('NBA moneyline');
    await person.waitForText('This rule does not exist.');
  });
});
