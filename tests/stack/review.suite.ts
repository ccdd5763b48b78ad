import { afterAll, beforeAll, expect, test } from 'vitest';
import * as review from '../../local/commands/review.ts';
import {
  describeInChromium,
  newPage,
  picture,
  press,
  type WatchedPage,
  waitForPath,
  waitForText,
} from '../dashboard/support/page.ts';
import { signUp } from '../dashboard/support/sign_up.ts';
import { callCommand } from '../support/command.ts';
import { clientAt } from '../support/rest.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';
import { fetchAllMarkets } from './simulator.ts';

const PASSWORD = 'correct horse battery';
const SUBJECT = 'league:KXBESTADEILDGAME:bdk';

/**
 * Guarantee, on the real stack: a member of the operators' organization confirms a league on the
 * page Review, and its games are published. Taking it back makes them candidates in the next
 * step of REST. No other person may decide. `at` returns the running stack.
 */
export const reviewSuite = (at: () => RunningStack) =>
  describeInChromium('the page Review on the real stack', () => {
    let stack: RunningStack;
    let site: string;
    let key: string;
    let page: WatchedPage;

    beforeAll(async () => {
      stack = at();
      site = new URL(stack.baseUrl).origin;
      key = await stack.key('pro');
      page = await newPage({ width: 1440, height: 900 });
    });
    afterAll(() => page?.context().close());

    const take = (name: string) => picture(page, `review_stack_${name}`);
    /** Games of the league that REST lists: published, or as candidates. */
    const games = async (query = ''): Promise<string[]> => {
      const { markets } = await fetchAllMarkets(stack, key, query);
      return markets
        .filter(({ venues }) => venues.venue_b.slug.startsWith('bdk-'))
        .map(({ id }) => id)
        .sort();
    };
    const decide = async (button: string) => {
      await press(page, button);
      const submit = page.locator('dialog [type=submit]');
      await submit.waitFor();
      await take(button.toLowerCase().replaceAll(' ', '_'));
      await submit.click();
      await page.locator('dialog').first().waitFor({ state: 'detached' });
    };

    test('a person whose organization does not review reads a sentence, and gets 403 from each RPC', async () => {
      await page.goto(`${site}/review`);
      await waitForPath(page, '/sign-in');
      await signUp(page, 'hypatia@example.com', PASSWORD);
      await waitForPath(page, '/review');
      await waitForText(page, 'Only operators review the catalog');
      expect(await page.locator('.navigation a[href="/review"]').count()).toBe(0);

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
      await page.locator('.navigation a[href="/review"]').first().waitFor();
      const item = page.locator('.review-item a[href*=KXBESTADEILDGAME]');
      const listed = await item.innerText();
      expect(listed).toMatch(/^\d+ games on both venues, (\d+) of \1 names agree/);
      await item.click();
      await page.locator('.review-pair').first().waitFor();
      await take('entry');
      const candidates = await games('&signal=candidates');
      expect(candidates.length).toBeGreaterThan(5);
      expect(listed.startsWith(`${candidates.length} games`)).toBe(true);
      expect(await games()).toEqual([]);
    });

    test('one confirmation publishes its games in the next passes', async () => {
      const candidates = await games('&signal=candidates');
      await page.getByLabel('Name of the league').fill('Besta deild');
      await page.getByLabel('Note').fill('The first division of Iceland.');
      await decide('Confirm');
      await waitForText(page, 'Besta deild is confirmed.');
      // ingest sweeps the listings once a minute, and when it claims their leases. They end now.
      await stack.sql`update venue.leases set expires_at = clock_timestamp() where name like 'listings:%'`;
      await waitUntil(async () => (await games()).length >= candidates.length, {
        what: 'the games of the league are published',
        everyMs: 500,
        evidence: async () => `${(await games()).length} of ${candidates.length}`,
      });
      expect(await games('&signal=candidates')).toEqual([]);
      await waitForText(page, 'The first division of Iceland.');
      await page.locator('.review-state', { hasText: / [1-9]\d* games published/ }).waitFor();
      await take('published');
    });

    test('a confirmation that is taken back makes its games candidates in the next step, and no spread', async () => {
      const published = await games();
      await decide('Take back');
      await waitForText(page, 'are candidates again.');
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
      await take('taken_back');
      expect(page.errors).toEqual([]);
      const [row] = await stack.sql`
        select array_agg(d.decision || ' by ' || d.decided_by order by d.decision_id) as kept
        from catalog.review_decisions d where d.subject = ${SUBJECT}`;
      expect(row?.kept).toEqual(['confirm by hypatia@example.com', 'withdraw by hypatia@example.com']);
    });
  });
