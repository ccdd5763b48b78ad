import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { pause } from '../support/wait_until.ts';
import { type AccountSite, openAccountSite } from './support/account_site.ts';
import { axeViolations } from './support/axe.ts';
import { findChromium, type Page, type Viewport } from './support/chromium.ts';
import { PageUser } from './support/page_user.ts';
import { BESTA, bestaDeild, HOSTILE, NAMES, RACE, reviewAnswers } from './support/review_world.ts';
import { defaultAnswers, StubError } from './support/stub_api.ts';

const program = findChromium();
if (!program)
  console.log('tests/dashboard/review.system.test.ts is skipped: there is no Chromium on the PATH or in $CHROMIUM.');

const pictures = join(repository, 'test-results');
const WIDE = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const viewports: [string, Viewport][] = [
  ['wide', WIDE],
  ['wide_dark', { ...WIDE, dark: true }],
  ['middle', { width: 960, height: 900 }],
  ['phone', PHONE],
  ['phone_dark', { ...PHONE, dark: true }],
  ['huge', { width: 2560, height: 1440 }],
];
const addressOf = (subject: string) => `/review?subject=${encodeURIComponent(subject)}`;
const openEntry = `document.querySelector('.review-head h2')`;

/** The page Review in Chromium, with a stub of Auth and PostgREST. tests/stack has the real one. */
describe.skipIf(!program)('the page Review', () => {
  let site: AccountSite;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    site = await openAccountSite(program ?? '');
  });
  afterAll(() => site?.close());
  beforeEach(() => {
    site.api.answers = reviewAnswers();
  });

  const opened = async (viewport: Viewport = WIDE, path = '/review'): Promise<[Page, PageUser]> => {
    const page = await site.signedIn(viewport, path);
    return [page, new PageUser(page)];
  };
  const textOf = (page: Page, element: string) =>
    page.evaluate<string>(`${element}.innerText.replace(/\\s+/g, ' ').trim()`);
  /** The arguments of each decision that the page sends. */
  const decisions = () => {
    const sent: Record<string, unknown>[] = [];
    site.api.answers.decide_review = (args) => {
      sent.push(args);
      return { state: 'confirmed', candidates_again: 12 };
    };
    return sent;
  };

  test.each(viewports)(
    '%s: list, entries and a dialog fit their width, do not shift and pass axe',
    async (name, viewport) => {
      const [page, person] = await opened(viewport);
      const wrong: Record<string, unknown> = {};
      const check = async (what: string) => {
        await pause(300);
        await page.screenshot(join(pictures, `review_${what}_${name}.png`));
        const [width, shifts] = await page.evaluate<[number, number]>(
          '[document.documentElement.scrollWidth, window.shifts]',
        );
        const violations = await axeViolations(page);
        if (width !== viewport.width || shifts > 0.02 || violations.length > 0) {
          wrong[what] = { width, shifts, violations, shifted: await page.evaluate('window.shifted') };
        }
      };
      await page.goto(`${site.base}/review`);
      await page.waitFor(`document.querySelectorAll('.review-item').length === 4`);
      await check('list');
      for (const [what, subject] of [
        ['league', BESTA],
        ['race', RACE],
        ['names', NAMES],
        ['hostile', HOSTILE],
      ] as const) {
        await page.goto(site.base + addressOf(subject));
        await page.waitFor(openEntry);
        await check(what);
      }
      await page.goto(site.base + addressOf(BESTA));
      await page.waitFor(`document.querySelector('.review-pair')`);
      await page.evaluate(`document.querySelector('.review-names').scrollIntoView()`);
      await check('names_of_league');
      await page.evaluate(`document.querySelectorAll('.review-pair')[2].scrollIntoView()`);
      await check('games');
      await page.goto(site.base + addressOf(BESTA));
      await person.press('Confirm');
      await page.waitFor(`document.querySelector('dialog')`);
      await check('dialog');
      expect([wrong, page.errors]).toEqual([{}, []]);
    },
  );

  test('only a member of an organization of operators has it in the navigation; others read a sentence', async () => {
    const [page, person] = await opened();
    await page.waitFor(`document.querySelector('.navigation a[href="/review"][aria-current]')`);
    site.api.answers = { ...reviewAnswers(), my_organizations: defaultAnswers().my_organizations ?? [] };
    await page.goto(`${site.base}/review`);
    await person.waitForText('Only operators review the catalog');
    expect(await page.evaluate(`document.querySelector('.navigation a[href="/review"]')`)).toBeNull();
  });

  test('a member whose organization reviews no longer reads the same sentence', async () => {
    site.api.answers.list_reviews = new StubError(403, 'review.not_operator', 'Only members may review.');
    const [, person] = await opened();
    await person.waitForText('Only operators review the catalog');
  });

  test('lists the entries of each state by league, with the evidence in a sentence and the counts', async () => {
    const [page, person] = await opened();
    await page.waitFor(`document.querySelectorAll('.review-item').length === 4`);
    expect(await textOf(page, `document.querySelector('.review-group')`)).toContain(
      'Besta deild 14 games on both venues, 26 of 28 names agree',
    );
    expect(await textOf(page, `document.querySelector('.review-states')`)).toBe(
      'State Open 4 Postponed 0 Confirmed 1 Refused 0 Taken back 0',
    );
    await person.press('Confirmed');
    await person.waitForText('No game of it is a candidate now');
    expect(await page.evaluate('location.search')).toBe('?state=confirmed');
    await person.press('Refused');
    await person.waitForText('Nothing is refused');
    site.api.answers.list_reviews = { counts: {}, entries: [] };
    await person.press('Open');
    await person.waitForText('An entry appears here when both venues list games of a league');
  });

  test('a refresh keeps the list, its place and the open entry', async () => {
    const [page, person] = await opened(WIDE, '/review');
    await page.waitFor(`document.querySelectorAll('.review-item').length === 4`);
    await person.press('14 games on both venues, 26 of 28 names agree');
    await page.waitFor(openEntry);
    await page.evaluate(`scrollTo(0, 600)`);
    await page.evaluate(`document.querySelector('.review-item').marked = true`);
    await page.evaluate(`document.querySelector('.page-head button').click()`);
    await pause(500);
    expect(
      await page.evaluate(`[scrollY, document.querySelector('.review-item').marked, ${openEntry}.innerText]`),
    ).toEqual([600, true, 'Besta deild']);
    site.api.answers.list_reviews = new StubError(500, 'XX000', 'internal words of a database');
    await page.evaluate(`document.querySelector('.page-head button').click()`);
    await person.waitForText('The list is from the last successful read.');
    expect(await page.evaluate(`document.querySelectorAll('.review-item').length`)).toBe(4);
  });

  test('opens an entry by keyboard on a phone, and goes back to its place in the list', async () => {
    const [page, person] = await opened(PHONE);
    await page.waitFor(`document.querySelectorAll('.review-item').length === 4`);
    await page.evaluate(`document.querySelectorAll('.review-item a')[2].focus()`);
    await page.press('Enter');
    await person.waitForText('Who will be the next headmaster?');
    // Preact runs the effect that moves the focus after the entry is painted.
    await page.waitFor(`document.activeElement.tagName === 'H2'`);
    expect(await page.evaluate(`document.querySelector('.review-list').checkVisibility()`)).toBe(false);
    await person.press('All entries');
    await page.waitFor(`document.activeElement === document.querySelectorAll('.review-item a')[2]`);
    expect(await page.evaluate('location.search')).toBe('');
  });

  test('shows both listings of each game, the names that met, and why two of them stay candidates', async () => {
    const [page, person] = await opened(WIDE, addressOf(BESTA));
    await page.waitFor(`document.querySelectorAll('.review-pair').length === 14`);
    await person.waitForText('12 games will be published in the next pass, 2 stay candidates.');
    await person.waitForText(
      'Of 5 other leagues of soccer, 3 were confirmed, 1 refused and 1 taken back. 41 games of the confirmed ones were published, 12 settled. Under their resolution rules 512 occasions agreed and 0 diverged.',
    );
    await person.waitForText('Wait for round two.');
    const first = await textOf(page, `document.querySelectorAll('.review-pair')[0]`);
    for (const words of [
      'Breiðablik vs ÍA Akranes 2026-12-01 19:45 UTC Would be published',
      'venue_a Breiðablik vs ÍA Akranes KXBESTADEILDGAME-26DEC01G0 Open on venue_a',
      'venue_b Breidablik vs IA Akranes bdk-g0-2026-12-01 Open on venue_b',
      'Breiðablik = Breidablik 86.0 %',
    ])
      expect(first).toContain(words);
    // A game outside of the window is not laid out, so it has no innerText.
    expect(await page.evaluate(`document.querySelectorAll('.review-blocked')[0].textContent`)).toBe(
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
    const [page, person] = await opened(WIDE, addressOf(BESTA));
    await person.fill('Name of the league', 'Besta deild karla');
    await person.fill('Note', 'Seen on the page of the league.');
    await person.press('Confirm');
    const dialog = `document.querySelector('dialog')`;
    await page.waitFor(dialog);
    const asked = await textOf(page, dialog);
    expect(asked).toContain('12 games will be published in the next pass, 2 stay candidates.');
    expect(asked).toContain('The league is named Besta deild karla, its sport is soccer.');
    expect(sent).toEqual([]);
    site.api.answers.read_review = bestaDeild({
      state: 'confirmed',
      digest: 'second',
      published: 12,
      pairs: [],
    }) as never;
    await person.click(`${dialog}.querySelector('[type=submit]')`);
    await person.waitForText('Besta deild is confirmed.');
    await person.waitForText('12 games published.');
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
    await person.press('Take back');
    await person.waitForText('12 games become candidates again at once.');
    await person.click(`${dialog}.querySelector('[type=submit]')`);
    await person.waitForText('is taken back. 12 games are candidates again.');
    expect(sent[1]).toMatchObject({ p_decision: 'withdraw', p_digest: 'second', p_name: null, p_note: null });
  });

  test('a decision about evidence that changed offers to read again, and the note is kept', async () => {
    site.api.answers.decide_review = new StubError(
      409,
      'review.changed',
      'Another person decided. Read the entry again.',
    );
    const [page, person] = await opened(WIDE, addressOf(BESTA));
    await person.fill('Note', 'A note of 20 words.');
    await person.press('Refuse');
    await person.click(`document.querySelector('dialog [type=submit]')`);
    await person.waitForText('Your note is kept.');
    site.api.answers.read_review = bestaDeild({ digest: 'other', pairs: bestaDeild().pairs.slice(0, 9) }) as never;
    await person.press('Read again');
    await person.waitForText('9 games on both venues');
    expect(await page.evaluate(`document.querySelector('[name=note]').value`)).toBe('A note of 20 words.');
    await person.press('Postpone for a week');
    await person.waitForText('Another person decided. Read the entry again.');
    await person.press('Read again');
    await page.waitFor(`!document.body.innerText.includes('Another person decided. Read')`);
    const sent = decisions();
    await person.press('Postpone for a week');
    await person.waitForText('Besta deild is postponed for a week.');
    expect(sent).toMatchObject([{ p_decision: 'postpone', p_digest: 'other', p_note: 'A note of 20 words.' }]);
  });

  test('evidence that changes while it is read is not swapped under the reader', async () => {
    const [page, person] = await opened(WIDE, addressOf(BESTA));
    await page.waitFor(`document.querySelectorAll('.review-pair').length === 14`);
    site.api.answers.read_review = bestaDeild({ digest: 'other', pairs: bestaDeild().pairs.slice(0, 9) }) as never;
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await person.waitForText('the evidence changed');
    expect(await page.evaluate(`document.querySelectorAll('.review-pair').length`)).toBe(14);
    await person.press('Show what is true now');
    await page.waitFor(`document.querySelectorAll('.review-pair').length === 9`);
    site.api.answers.read_review = new StubError(404, 'review.not_found', 'Nothing is proposed.');
    await page.evaluate(`dispatchEvent(new Event('online'))`);
    await person.waitForText('Nothing is proposed about this any more');
  });

  test('renders hostile names as text, cut and isolated, and a problem as a sentence that a choice solves', async () => {
    const [page, person] = await opened(PHONE, addressOf(HOSTILE));
    await page.waitFor(openEntry);
    const [pwned, images, links, widest] = await page.evaluate<[unknown, number, number, number]>(
      `[window.pwned ?? null, document.querySelectorAll('main img').length, document.querySelectorAll('.review-side a').length,
        Math.max(...[...document.querySelectorAll('.untrusted')].filter((one) => !one.closest('.review-note')).map((one) => one.textContent.length))]`,
    );
    expect([pwned, images, links]).toEqual([null, 0, 0]);
    expect(widest).toBeLessThan(220);
    expect(await page.evaluate(`document.querySelector('main').innerText.includes('\\u202e')`)).toBe(false);
    expect(
      await page.evaluate(`[...document.querySelectorAll('.untrusted')].every((one) => one.tagName === 'BDI')`),
    ).toBe(true);
    await person.waitForText('It cannot be confirmed: No listing names the sport. Choose it. league.sport_missing');
    const confirm = `[...document.querySelectorAll('button')].find((one) => one.innerText === 'Confirm')`;
    expect(await page.evaluate(`${confirm}.disabled`)).toBe(true);
    await page.evaluate(
      `(() => { const one = document.querySelector('[name=sport]'); one.value = 'soccer'; one.dispatchEvent(new Event('change', { bubbles: true })); })()`,
    );
    await page.waitFor(`!${confirm}.disabled`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.errors).toEqual([]);
  });
});
