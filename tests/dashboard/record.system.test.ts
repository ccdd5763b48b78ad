import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { ruleIdOf } from '../api/support/rules.ts';
import { recordLayoutSuite } from './record_layout.suite.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import {
  describeInChromium,
  press,
  textsOf,
  type Viewport,
  type WatchedPage,
  waitForCount,
  waitForText,
} from './support/page.ts';
import { addressOf, ruleAnswers, superBowl } from './support/rule_world.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const WIDE = { width: 1440, height: 900 };
/** The page Record on the results of the real SQL functions, with a stub of Auth and PostgREST. */
describeInChromium('the page Record', () => {
  let site: AccountSite;
  let answers: AccountSite['api']['answers'];
  beforeAll(async () => {
    [site, answers] = await Promise.all([openAccountSite(), ruleAnswers()]);
    site.api.answers = { ...defaultAnswers(), ...answers };
  });
  afterAll(() => site?.close());
  afterEach(() => {
    site.api.answers = { ...defaultAnswers(), ...answers };
  });

  const opened = (viewport: Viewport = WIDE, path = '/record') => site.signedIn(viewport, path);
  const itemOf = (page: WatchedPage, name: string) =>
    page.locator('.rule-item', { has: page.getByRole('button', { name, exact: true }) });

  // layout.slow.test.ts opens the page in every width and theme.
  recordLayoutSuite('some', () => site);

  test('counts the rules of each state and shows how far the backtest is', async () => {
    const page = await opened();
    await waitForText(page, '13 rules');
    const [text] = await textsOf(page, '.card-body');
    expect(text).toContain('3 confirmed 4 pooled 4 unconfirmed 2 withdrawn');
    expect(text).toContain(
      'The backtest is running: 3 of 4 competitions, places and assets read, 0 listings, 2,812 occasions.',
    );
    expect(
      await page.evaluate(`document.querySelector('progress').value / document.querySelector('progress').max`),
    ).toBe(0.75);
  });

  test('lists the rules by competition and family, each with its record, its state and its bound', async () => {
    const page = await opened();
    await waitForCount(page, '.rule-item', 13);
    const names = await textsOf(page, '.rule-name button');
    expect(names.slice(0, 3)).toEqual(['Eredivisie moneyline', 'Ligue 1 moneyline', 'NBA moneyline']);
    expect(names.slice(-2)).toEqual(['Super Bowl outright', 'cb decision']);
    const textOf = async (name: string) => (await itemOf(page, name).innerText()).replace(/\s+/g, ' ');
    expect(await textOf('NFL total')).toContain('214 agreeing 0 diverging Unconfirmed 85 more needed');
    expect(await textOf('NHL moneyline')).toContain('498 agreeing 1 diverging Withdrawn');
    expect(await textOf('NBA spread')).toContain('Unconfirmed 299 more needed');
    const picture = (name: string) => itemOf(page, name).locator('svg.bound').getAttribute('aria-label');
    expect(await picture('NFL moneyline')).toBe('At most 0.47 %, within the limit of 1 %.');
    expect(await picture('Serie A moneyline')).toBe(
      'At most 3.17 %, above the limit of 1 %. Its pool: at most 0.77 %, within the limit of 1 %.',
    );
    expect(await picture('NBA spread')).toBe('No occasion has settled yet, so there is no bound. The limit is 1 %.');
  });

  test('ends a bar within the limit in a disc before the limit line, and another one in a diamond behind it', async () => {
    const page = await opened();
    await waitForCount(page, '.rule-item', 13);
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
    const page = await opened();
    await waitForCount(page, '.rule-item', 13);
    const choose = (label: string, value: string) =>
      page.getByRole('combobox', { name: label, exact: true }).selectOption(value);
    await choose('State', 'pooled');
    await waitForCount(page, '.rule-item', 4);
    await choose('Family', 'moneyline');
    await page.getByLabel('Search rules').fill('serie');
    await waitForCount(page, '.rule-item', 1);
    expect(new URL(page.url()).search).toBe('?search=serie&family=moneyline&state=pooled');
    await page.goto(`${site.base}/record?state=refused`);
    await waitForText(page, 'No rule matches these filters');
    await press(page, 'Clear filters');
    await waitForCount(page, '.rule-item', 13);
  });

  test('opens a rule by keyboard to its terms, with the differing terms of both venues marked', async () => {
    const page = await opened();
    await waitForCount(page, '.rule-item', 13);
    const button = page.getByRole('button', { name: 'NYC weather high', exact: true });
    await button.press('Enter');
    await page.locator('.rule-item.is-open .side-box').first().waitFor();
    expect(await page.locator(':focus').getAttribute('aria-expanded')).toBe('true');
    const terms = `[...document.querySelectorAll('.rule-detail .side-box')].map((one) => [...one.querySelectorAll('li')].map((term) => (term.querySelector('mark') ? '*' : '') + term.innerText))`;
    expect(await page.evaluate(terms)).toEqual([['*station: KNYC', '*rounding: whole'], ['*station: KLGA']]);
    await page.keyboard.press('Enter');
    await page.locator('.rule-item.is-open').first().waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('');
  });

  test('links the members of a pool to their rules, which open in the place of this one', async () => {
    const page = await opened(
      WIDE,
      addressOf(ruleIdOf({ competition: 'serie-a', terms_a: 'waits, never played: fair_price' })),
    );
    await waitForText(page, '4 rules of the same family with the same terms and texts');
    await waitForText(page, '390 agreeing occasions together, so at most 0.77 % diverge');
    await press(page, 'Ligue 1');
    await page.locator('.rule-item.is-open', { hasText: /^\s*Ligue 1/ }).waitFor();
    expect(await page.locator('.rule-item.is-open').count()).toBe(1);
    await page.evaluate('history.back()');
    await page.locator('.rule-item.is-open', { hasText: /^\s*Serie A/ }).waitFor();
  });

  test('shows each divergence with both payouts and both texts, and marks the differing words', async () => {
    const page = await opened(WIDE, addressOf(superBowl));
    await waitForText(page, 'settled 8 Feb 2026, from the settled history');
    expect(await textsOf(page, '.payouts tbody tr')).toEqual(['yes differs $0.26 $1.00', 'no differs $0.74 $0.00']);
    const marked = await page.evaluate<string[][]>(
      `[...document.querySelectorAll('.venue-text')].map((one) => [...one.querySelectorAll('mark')].map((word) => word.textContent))`,
    );
    expect(marked[0]).toContain('last traded price before');
    expect(marked[1]).toContain('Dancing on stage counts as a');
    expect(marked.flat()).not.toContain('halftime');
  });

  test('renders hostile text as text: no markup, no character that turns the text around, no wide page', async () => {
    const page = await opened({ width: 390, height: 844 }, addressOf(superBowl));
    await waitForCount(page, '.divergence', 2);
    await page.locator('.divergence details').nth(1).locator('summary').click();
    await waitForCount(page, '.venue-text', 3);
    const text = (await page.locator('.venue-text').nth(2).textContent()) ?? '';
    expect(text).toContain('<script>window.pwned = 1</script><img src=x onerror="window.pwned = 2"><b>bold</b>');
    expect(text).toContain('resolves ‹U+202E›SEY‹U+202C› if the ‹U+0007› show starts. ‹U+2066›isolated‹U+2069›');
    expect(text.endsWith('…')).toBe(true);
    expect(await page.locator('main script, main img, main b:not(.occasions b)').count()).toBe(0);
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
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
    const page = await opened();
    await waitForText(page, 'No rules yet');
    await waitForText(page, 'The settled history of the venues has not been read yet.');
    site.api.answers.list_rules = new StubError(500, 'XX000', 'internal words of a database');
    await page.goto(`${site.base}/record`);
    await waitForText(page, 'The service failed.');
    expect(await page.locator('body').innerText()).not.toContain('internal words');
    site.api.answers.list_rules = answers.list_rules ?? [];
    await press(page, 'Try again');
    await waitForCount(page, '.rule-item', 13);
    site.api.answers.list_rules = new StubError(500, 'XX000', 'internal words of a database');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await waitForText(page, 'The figures below are from the last successful read.');
    expect(await page.locator('.rule-item').count()).toBe(13);
    site.api.answers.read_rule = new StubError(404, 'rule.not_found', 'This rule does not exist.');
    await press(page, 'NBA moneyline');
    await waitForText(page, 'This rule does not exist.');
  });
});
