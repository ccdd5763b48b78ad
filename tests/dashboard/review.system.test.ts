import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reviewLayoutSuite } from './review_layout.suite.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import {
  describeInChromium,
  press,
  settle,
  textsOf,
  type Viewport,
  type WatchedPage,
  waitForCount,
  waitForText,
} from './support/page.ts';
import { addressOf, BESTA, bestaDeild, HOSTILE, reviewAnswers } from './support/review_world.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** The page Review in Chromium, with a stub of Auth and PostgREST. tests/stack has the real one. */
describeInChromium('the page Review', () => {
  let site: AccountSite;
  beforeAll(async () => {
    site = await openAccountSite();
  });
  afterAll(() => site?.close());
  beforeEach(() => {
    site.api.answers = reviewAnswers();
  });

  const opened = (viewport: Viewport = WIDE, path = '/review') => site.signedIn(viewport, path);
  const textOf = async (page: WatchedPage, selector: string) => (await textsOf(page, selector))[0];
  const entry = (page: WatchedPage) => page.locator('.review-head h2');
  /** The arguments of each decision that the page sends. */
  const decisions = () => {
    const sent: Record<string, unknown>[] = [];
    site.api.answers.decide_review = (args) => {
      sent.push(args);
      return { state: 'confirmed', candidates_again: 12 };
    };
    return sent;
  };

  // layout.slow.test.ts opens the page in every width and theme.
  reviewLayoutSuite('some', () => site);

  test('only a member of an organization of operators has it in the navigation; others read a sentence', async () => {
    const page = await opened();
    await page.locator('.navigation a[href="/review"][aria-current]').first().waitFor();
    site.api.answers = { ...reviewAnswers(), my_organizations: defaultAnswers().my_organizations ?? [] };
    await page.goto(`${site.base}/review`);
    await waitForText(page, 'Only operators review the catalog');
    expect(await page.locator('.navigation a[href="/review"]').count()).toBe(0);
  });

  test('a member whose organization reviews no longer reads the same sentence', async () => {
    site.api.answers.list_reviews = new StubError(403, 'review.not_operator', 'Only members may review.');
    const page = await opened();
    await waitForText(page, 'Only operators review the catalog');
  });

  test('lists the entries of each state by league, with the evidence in a sentence and the counts', async () => {
    const page = await opened();
    await waitForCount(page, '.review-item', 4);
    expect(await textOf(page, '.review-group')).toContain('Besta deild 14 games on both venues, 26 of 28 names agree');
    expect(await textOf(page, '.review-states')).toBe('State Open 4 Postponed 0 Confirmed 1 Refused 0 Taken back 0');
    await press(page, /^Confirmed/);
    await waitForText(page, 'No game of it is a candidate now');
    expect(new URL(page.url()).search).toBe('?state=confirmed');
    await press(page, /^Refused/);
    await waitForText(page, 'Nothing is refused');
    site.api.answers.list_reviews = { counts: {}, entries: [] };
    await press(page, /^Open/);
    await waitForText(page, 'An entry appears here when both venues list games of a league');
  });

  test('a refresh keeps the list, its place and the open entry', async () => {
    const page = await opened(WIDE, '/review');
    await waitForCount(page, '.review-item', 4);
    await press(page, /^14 games on both venues, 26 of 28 names agree/);
    await entry(page).waitFor();
    await page.evaluate(`scrollTo(0, 600)`);
    await page.evaluate(`document.querySelector('.review-item').marked = true`);
    // The button is out of the window, and a real click would scroll to it.
    const refresh = page.getByRole('button', { name: 'Refresh' });
    const read = page.waitForResponse(/list_reviews/);
    await refresh.dispatchEvent('click');
    await read;
    await settle(page);
    expect(
      await page.evaluate(
        `[scrollY, document.querySelector('.review-item').marked, document.querySelector('.review-head h2').innerText]`,
      ),
    ).toEqual([600, true, 'Besta deild']);
    site.api.answers.list_reviews = new StubError(500, 'XX000', 'internal words of a database');
    await refresh.dispatchEvent('click');
    await waitForText(page, 'The list is from the last successful read.');
    expect(await page.locator('.review-item').count()).toBe(4);
  });

  test('opens an entry by keyboard on a phone, and goes back to its place in the list', async () => {
    const page = await opened(PHONE);
    await waitForCount(page, '.review-item', 4);
    await page.locator('.review-item a').nth(2).focus();
    await page.keyboard.press('Enter');
    await waitForText(page, 'Who will be the next headmaster?');
    // Preact runs the effect that moves the focus after the entry is painted.
    await page.locator('h2:focus').waitFor();
    expect(await page.locator('.review-list').isVisible()).toBe(false);
    await press(page, 'All entries');
    await page.waitForFunction(() => document.activeElement === document.querySelectorAll('.review-item a')[2]);
    expect(new URL(page.url()).search).toBe('');
  });

  test('shows both listings of each game, the names that met, and why two of them stay candidates', async () => {
    const page = await opened(WIDE, addressOf(BESTA));
    await waitForCount(page, '.review-pair', 14);
    await waitForText(page, '12 games will be published in the next pass, 2 stay candidates.');
    await waitForText(
      page,
      'Of 5 other leagues of soccer, 3 were confirmed, 1 refused and 1 taken back. 41 games of the confirmed ones were published, 12 settled. Under their resolution rules 512 occasions agreed and 0 diverged.',
    );
    await waitForText(page, 'Wait for round two.');
    const first = await textOf(page, '.review-pair');
    for (const words of [
      'Breiðablik vs ÍA Akranes 2026-12-01 19:45 UTC Would be published',
      'venue_a Breiðablik vs ÍA Akranes KXBESTADEILDGAME-26DEC01G0 Open on venue_a',
      'venue_b Breidablik vs IA Akranes bdk-g0-2026-12-01 Open on venue_b',
      'Breiðablik = Breidablik 86.0 %',
    ])
      expect(first).toContain(words);
    // A game outside of the window is not laid out, so it has no innerText.
    expect(await page.locator('.review-blocked').first().textContent()).toBe(
      'Stays a candidate One of its names met two names of the other venue. contradictory_names',
    );
    const contradictory = `[...document.querySelectorAll('.review-names tbody tr')].filter((row) => row.innerText.includes('Contradictory')).length`;
    expect(await page.evaluate(contradictory)).toBe(1);
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('.review-side a')].every((link) => link.rel === 'noopener noreferrer' && link.href.startsWith('https://'))`,
      ),
    ).toBe(true);
  });

  test('confirms with a changed name and a note after it asked again, and sends the digest of what was read', async () => {
    const sent = decisions();
    const page = await opened(WIDE, addressOf(BESTA));
    await page.getByLabel('Name of the league').fill('Besta deild karla');
    await page.getByLabel('Note').fill('Seen on the page of the league.');
    await press(page, 'Confirm');
    await page.locator('dialog').waitFor();
    const asked = await textOf(page, 'dialog');
    expect(asked).toContain('12 games will be published in the next pass, 2 stay candidates.');
    expect(asked).toContain('The league is named Besta deild karla, its sport is soccer.');
    expect(sent).toEqual([]);
    site.api.answers.read_review = bestaDeild({
      state: 'confirmed',
      digest: 'second',
      published: 12,
      pairs: [],
    }) as never;
    await page.locator('dialog [type=submit]').click();
    await waitForText(page, 'Besta deild is confirmed.');
    await waitForText(page, '12 games published.');
    expect(sent).toEqual([
      {
        p_subject: BESTA,
        p_decision: 'confirm',
        p_digest: 'first',
        p_name: 'Besta deild karla',
        p_sport: null,
        p_note: 'Seen on the page of the league.',
      },
    ]);
    await press(page, 'Take back');
    await waitForText(page, '12 games become candidates again at once.');
    await page.locator('dialog [type=submit]').click();
    await waitForText(page, 'is taken back. 12 games are candidates again.');
    expect(sent[1]).toMatchObject({ p_decision: 'withdraw', p_digest: 'second', p_name: null, p_note: null });
  });

  test('a decision about evidence that changed offers to read again, and the note is kept', async () => {
    site.api.answers.decide_review = new StubError(
      409,
      'review.changed',
      'Another person decided. Read the entry again.',
    );
    const page = await opened(WIDE, addressOf(BESTA));
    await page.getByLabel('Note').fill('A note of 20 words.');
    await press(page, 'Refuse');
    await page.locator('dialog [type=submit]').click();
    await waitForText(page, 'Your note is kept.');
    site.api.answers.read_review = bestaDeild({ digest: 'other', pairs: bestaDeild().pairs.slice(0, 9) }) as never;
    await press(page, 'Read again');
    await waitForText(page, '9 games on both venues');
    expect(await page.locator('[name=note]').inputValue()).toBe('A note of 20 words.');
    await press(page, 'Postpone for a week');
    await waitForText(page, 'Another person decided. Read the entry again.');
    await press(page, 'Read again');
    await page.getByText('Another person decided. Read').first().waitFor({ state: 'hidden' });
    const sent = decisions();
    await press(page, 'Postpone for a week');
    await waitForText(page, 'Besta deild is postponed for a week.');
    expect(sent).toMatchObject([{ p_decision: 'postpone', p_digest: 'other', p_note: 'A note of 20 words.' }]);
  });

  test('evidence that changes while it is read is not swapped under the reader', async () => {
    const page = await opened(WIDE, addressOf(BESTA));
    await waitForCount(page, '.review-pair', 14);
    site.api.answers.read_review = bestaDeild({ digest: 'other', pairs: bestaDeild().pairs.slice(0, 9) }) as never;
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await waitForText(page, 'the evidence changed');
    expect(await page.locator('.review-pair').count()).toBe(14);
    await press(page, 'Show what is true now');
    await waitForCount(page, '.review-pair', 9);
    site.api.answers.read_review = new StubError(404, 'review.not_found', 'Nothing is proposed.');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await waitForText(page, 'Nothing is proposed about this any more');
  });

  test('renders hostile names as text, cut and isolated, and a problem as a sentence that a choice solves', async () => {
    const page = await opened(PHONE, addressOf(HOSTILE));
    await entry(page).waitFor();
    const [pwned, images, links, widest] = await page.evaluate<[unknown, number, number, number]>(
      `[window.pwned ?? null, document.querySelectorAll('main img').length, document.querySelectorAll('.review-side a').length,
        Math.max(...[...document.querySelectorAll('.untrusted')].filter((one) => !one.closest('.review-note')).map((one) => one.textContent.length))]`,
    );
    expect([pwned, images, links]).toEqual([null, 0, 0]);
    expect(widest).toBeLessThan(220);
    expect(await page.locator('main').innerText()).not.toContain('\u202e');
    expect(
      await page.evaluate(`[...document.querySelectorAll('.untrusted')].every((one) => one.tagName === 'BDI')`),
    ).toBe(true);
    await waitForText(page, 'It cannot be confirmed: No listing names the sport. Choose it. league.sport_missing');
    const confirm = page.getByRole('button', { name: 'Confirm', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    await page.locator('[name=sport]').selectOption('soccer');
    await confirm.click();
    await page.locator('dialog').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.errors).toEqual([]);
  });
});
