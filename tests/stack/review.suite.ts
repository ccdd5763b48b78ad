import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as review from '../../local/commands/review.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { Browser, findChromium, type Page } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { callCommand } from '../support/command.ts';
import { clientAt } from '../support/rest.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fetchAllMarkets } from './simulator.ts';

const program = findChromium();
const pictures = join(repository, 'test-results');
const PASSWORD = 'correct horse battery';
const SUBJECT = 'league:KXBESTADEILDGAME:bdk';

/**
 * Guarantee, on the real stack: a member of the operators' organization confirms a league on the
 * page Review, and its games are published. Taking it back makes them candidates in the next
 * step of REST. No other person may decide. `at` returns the running stack.
 */
export const reviewSuite = (at: () => RunningStack) =>
  describe.skipIf(!program)('the page Review on the real stack', () => {
    let browser: Browser;
    let stack: RunningStack;
    let site: string;
    let key: string;
    let page: Page;
    let person: PageUser;

    beforeAll(async () => {
      mkdirSync(pictures, { recursive: true });
      stack = at();
      site = new URL(stack.baseUrl).origin;
      key = await stack.key('pro');
      browser = new Browser(program ?? '');
      page = await browser.page({ width: 1440, height: 900 });
      person = new PageUser(page);
    });
    afterAll(() => browser?.close());

    const picture = (name: string) => page.screenshot(join(pictures, `review_stack_${name}.png`));
    /** Games of the league that REST lists: published, or as candidates. */
    const games = async (query = ''): Promise<string[]> => {
      const { markets } = await fetchAllMarkets(stack, key, query);
      return markets
        .filter(({ venues }) => venues.venue_b.slug.startsWith('bdk-'))
        .map(({ id }) => id)
        .sort();
    };
    const decide = async (button: string) => {
      await person.press(button);
      const submit = `document.querySelector('dialog [type=submit]')`;
      await page.waitFor(submit);
      await picture(button.toLowerCase().replaceAll(' ', '_'));
      await person.click(submit);
      await page.waitFor(`!document.querySelector('dialog')`);
    };

    test('a person whose organization does not review reads a sentence, and gets 403 from each RPC', async () => {
      await page.goto(`${site}/review`);
      await person.waitForPath('/sign-in');
      await person.press('New account');
      await person.fill('E-mail', 'hypatia@example.com');
      await person.fill('Password', PASSWORD);
      await person.press('Create account');
      await person.waitForPath('/review');
      await person.waitForText('Only operators review the catalog');
      expect(await page.evaluate(`document.querySelector('.navigation a[href="/review"]')`)).toBeNull();

      const config = (await (await fetch(`${site}/config.json`)).json()) as { publishable_key: string };
      const client = clientAt(site, config.publishable_key);
      await client.auth.signUp({ email: 'theon@example.com', password: PASSWORD });
      await client.rpc('start_session');
      const attempts = [
        await client.rpc('list_reviews', { p_state: 'open' }),
        await client.rpc('read_review', { p_subject: SUBJECT }),
        await client.rpc('decide_review', { p_subject: SUBJECT, p_decision: 'confirm', p_digest: '' }),
      ];
      expect(attempts.map(({ status, error }) => [status, error?.code])).toEqual(
        attempts.map(() => [403, 'review.not_operator']),
      );
    });

    test('an operator turns the review on, and the league is one entry with its games as candidates', async () => {
      const folder = ['--data', stack.folder, '--port', String(stack.port)];
      const run = await callCommand(review, ['--operators', 'hypatia', 'on', ...folder]);
      expect([run.status, run.out]).toEqual([0, expect.stringContaining('"hypatia" review the catalog')]);
      await page.goto(`${site}/review`);
      await page.waitFor(`document.querySelector('.navigation a[href="/review"]')`);
      const item = `[...document.querySelectorAll('.review-item a')].find((one) => one.href.includes('KXBESTADEILDGAME'))`;
      await page.waitFor(item);
      const listed = await page.evaluate<string>(`${item}.innerText`);
      expect(listed).toMatch(/^\d+ games on both venues, (\d+) of \1 names agree/);
      await person.click(item);
      await page.waitFor(`document.querySelector('.review-pair')`);
      await picture('entry');
      const candidates = await games('&signal=candidates');
      expect(candidates.length).toBeGreaterThan(5);
      expect(listed.startsWith(`${candidates.length} games`)).toBe(true);
      expect(await games()).toEqual([]);
    });

    test('one confirmation publishes its games in the next passes', async () => {
      const candidates = await games('&signal=candidates');
      await person.fill('Name of the league', 'Besta deild');
      await person.fill('Note', 'The first division of Iceland.');
      await decide('Confirm');
      await person.waitForText('Besta deild is confirmed.');
      // ingest sweeps the listings once a minute, and when it claims their leases. They end now.
      await stack.sql`update venue.leases set expires_at = clock_timestamp() where name like 'listings:%'`;
      await waitUntil(async () => (await games()).length >= candidates.length, {
        what: 'the games of the league are published',
        everyMs: 500,
        evidence: async () => `${(await games()).length} of ${candidates.length}`,
      });
      expect(await games('&signal=candidates')).toEqual([]);
      await person.waitForText('The first division of Iceland.');
      await page.waitFor(`/ [1-9]\\d* games published/.test(document.querySelector('.review-state').innerText)`);
      await picture('published');
    });

    test('a confirmation that is taken back makes its games candidates in the next step, and no spread', async () => {
      const published = await games();
      await decide('Take back');
      await person.waitForText('are candidates again.');
      // REST returns the same bytes within a step of 5 s. The first answer of the next step counts.
      const step = async () => (await fetchAllMarkets(stack, key, '&market_type=outright')).page.snapshot_at;
      const before = await step();
      await waitUntil(async () => (await step()) !== before, {
        what: 'the next step',
        everyMs: 200,
      });
      expect(await games()).toEqual([]);
      expect(await games('&signal=spread')).toEqual([]);
      expect(await games('&signal=candidates')).toEqual(published);
      const { opportunities } = await stack.get<{ opportunities: { market_id: string }[] }>('/v2/arbitrage', key);
      expect(opportunities.filter(({ market_id }) => published.includes(market_id))).toEqual([]);
      await picture('taken_back');
      expect(page.errors).toEqual([]);
      const [row] = await stack.sql`
        select array_agg(d.decision || ' by ' || d.decided_by order by d.decision_id) as kept
        from catalog.review_decisions d where d.subject = ${SUBJECT}`;
      expect(row?.kept).toEqual(['confirm by hypatia@example.com', 'withdraw by hypatia@example.com']);
    });
  });
