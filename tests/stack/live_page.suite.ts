import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { Browser, findChromium, type Page } from '../dashboard/support/chromium.ts';
import { PageUser } from '../dashboard/support/page_user.ts';
import { type Client, clientAt } from '../support/rest.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';

/**
 * Guarantee, on the real stack: a signed-in person hears over Supabase Realtime the channels of their organization's plan and no other,
 * and the live pages show what the database says now.
 */

const password = 'correct horse battery';
/** `at` gives the stack once it is ready. */
export const livePage = (at: () => RunningStack) =>
  describe('a signed-in person', () => {
    const site = () => new URL(at().baseUrl).origin;
    const plan = (name: string, tier: string, status = 'active') =>
      at().sql`select account.set_plan(account.find_organization(${name}), ${tier}, ${status})`;

    describe('a session', () => {
      type Batch = { channel: string; offset: number; frames?: { type: string }[] };
      const clients: Client[] = [];
      /** The key that the page itself gets from its host. */
      let publishable: string;
      beforeAll(async () => {
        const config = (await (await fetch(`${site()}/config.json`)).json()) as { publishable_key: string };
        publishable = config.publishable_key;
      });
      afterAll(() =>
        Promise.all(clients.map((client) => client.removeAllChannels().then(() => client.realtime.disconnect()))),
      );

      async function someone(name: string): Promise<{ client: Client; org: string }> {
        const client = clientAt(site(), publishable);
        clients.push(client);
        const { error } = await client.auth.signUp({ email: `${name}@example.com`, password });
        expect(error).toBeNull();
        const { data } = await client.rpc('start_session');
        await client.realtime.setAuth();
        return { client, org: (data as { org_id: string }).org_id };
      }

      /** Joins a private topic: what it was told, and what it heard since. */
      async function listen(client: Client, topic: string): Promise<{ told: string; heard: Batch[] }> {
        const heard: Batch[] = [];
        const told = await new Promise<string>((resolve) => {
          client
            .channel(topic, { config: { private: true } })
            .on('broadcast', { event: '*' }, ({ payload }) => heard.push(payload as Batch))
            .subscribe((status, error) => resolve(error ? String(error.message) : status));
        });
        return { told, heard };
      }

      test('of a Basic plan hears all markets, in order and without a gap', async () => {
        const { client } = await someone('basic');
        await plan('basic', 'basic');
        const { told, heard } = await listen(client, 'markets:all');
        expect(told).toBe('SUBSCRIBED');
        await waitUntil(() => heard.filter((batch) => (batch.frames?.length ?? 0) > 0).length >= 10, {
          what: 'ten batches came',
          timeoutMs: 20_000,
        });
        const offsets = heard.flatMap(({ offset, frames = [] }) =>
          frames.map((_, i) => offset - frames.length + 1 + i),
        );
        expect(offsets).toEqual(offsets.map((_, i) => (offsets[0] ?? 0) + i));
        expect(new Set(heard.flatMap(({ frames = [] }) => frames.map(({ type }) => type)))).toContain('price');
      });

      test('of a Free plan hears the sample and the status, and is refused the rest, as anybody is who is not signed in', async () => {
        const { client, org } = await someone('free');
        for (const topic of ['sample', 'status', `org:${org}`])
          expect((await listen(client, topic)).told).toBe('SUBSCRIBED');
        const [other] = await at().sql<{ org_id: string }[]>`select account.find_organization('basic') as org_id`;
        for (const topic of ['markets:all', 'quotes:all', 'candidates:basketball', `org:${other?.org_id}`]) {
          expect((await listen(client, topic)).told, topic).toMatch(/Unauthorized/);
        }
        const nobody = clientAt(site(), publishable);
        clients.push(nobody);
        expect((await listen(nobody, 'status')).told).toMatch(/Unauthorized/);
      });

      test('cannot speak on a channel', async () => {
        const { client } = await someone('speaker');
        const channel = client.channel('status', { config: { private: true, broadcast: { ack: true } } });
        await new Promise((resolve) => channel.subscribe(resolve));
        expect(await channel.send({ type: 'broadcast', event: 'frames', payload: { offset: 1 } })).not.toBe('ok');
      });
    });

    const program = findChromium();

    describe.skipIf(!program)('the live pages', () => {
      const pictures = join(repository, 'test-results');
      let browser: Browser;
      let page: Page;
      let person: PageUser;
      beforeAll(async () => {
        mkdirSync(pictures, { recursive: true });
        browser = new Browser(program ?? '');
        page = await browser.page({ width: 1440, height: 900 });
        person = new PageUser(page);
        await page.goto(`${site()}/markets`);
        await person.waitForPath('/sign-in');
        await person.press('New account');
        await person.fill('E-mail', 'trader@example.com');
        await person.fill('Password', password);
        await person.press('Create account');
        await person.waitForPath('/markets');
      }, 60_000);
      afterAll(() => browser?.close());

      const picture = (name: string) => page.screenshot(join(pictures, `live-${name}.png`));
      const marketsShown = () =>
        page.evaluate<number>(`Number(/(\\d+) markets?,/.exec(document.body?.innerText ?? '')?.[1] ?? 0)`);

      /** What a failure must show: what the page says of itself, whether the database goes on, and what the stack said last. */
      async function standing(): Promise<string> {
        await picture('failure');
        const [latest] = await at().sql`
      select now(), count(*)::int as prices, max(priced_at) as last, count(*) filter (where priced_at > now() - interval '10 s')::int as in_ten_seconds
      from price.latest_updates`;
        const said = await page.evaluate<string>(`document.querySelector('main')?.innerText.slice(0, 1500)`);
        return [said, JSON.stringify(latest), JSON.stringify(page.errors), ...at().lines.slice(-30)].join('\n');
      }

      test('show a Free plan its sample, and all markets once it pays', async () => {
        await page.waitFor(`/\\d+ markets?,/.test(document.body.innerText)`);
        const sample = await marketsShown();
        expect(sample).toBeGreaterThan(0);
        expect(sample).toBeLessThanOrEqual(20);
        await picture('1-sample');
        await plan('trader', 'basic');
        await page.goto(`${site()}/markets`);
        await waitUntil(async () => (await marketsShown()) > 20, { what: 'all markets are shown', timeoutMs: 20_000 });
        await picture('2-markets');
      });

      type Row = { href: string; id: string; asks: string[] };
      /** The rows that are drawn, with their asks as they are written there. */
      const rowsShown = () =>
        page.evaluate<Row[]>(`[...document.querySelectorAll('.market-row')].flatMap((row) => {
      const href = row.querySelector('a[href*="mkt_"]')?.href;
      const asks = [...row.querySelectorAll('.ask')].map((ask) => /[\\d.]+¢/.exec(ask.innerText)?.[0]).filter(Boolean);
      return href && asks.length > 0 ? [{ href, id: /mkt_([0-9a-f-]{36})/.exec(href)[1], asks }] : [];
    })`);
      const written = (ask: number) => `${(ask / 10_000).toFixed(1)}¢`;
      /** The asks that the database has of a market, as the page writes them. */
      async function asksOf(id: string): Promise<Set<string>> {
        const [row] = await at().sql<{ asks: number[] }[]>`
      select array_remove(ask_a || ask_b, null) as asks from price.latest_updates where pair_id = ${id} and void_reason is null`;
        return new Set(row?.asks.map(written));
      }

      test('follow the books: what they show of a market is what the database has', async () => {
        // Nothing need move in the few rows that are drawn: not for 15 s at times on a quiet machine. So the time is ample, and what is shown
        // is held to what the database says.
        const before = new Map((await rowsShown()).map((row) => [row.id, row]));
        const standsAsRead = async ({ id, asks }: Row) => {
          const now = await asksOf(id);
          return asks.every((ask) => now.has(ask));
        };
        let moved: Row | undefined;
        await waitUntil(
          async () => {
            for (const row of await rowsShown()) {
              const old = before.get(row.id);
              if (old && String(old.asks) !== String(row.asks) && (await standsAsRead(row))) moved = row;
            }
            return moved !== undefined;
          },
          { what: 'a row moved to what the database has', timeoutMs: 90_000, evidence: standing },
        );
        await waitUntil(async () => (await Promise.all((await rowsShown()).map(standsAsRead))).every(Boolean), {
          what: 'all rows show what the database has',
          evidence: standing,
        });
        const { href, id } = moved as unknown as Row;
        await page.goto(href);
        await person.waitForText('Books received');
        await person.waitForText('Price history');
        await waitUntil(
          async () => {
            const now = [...(await asksOf(id))];
            const shown = await page.evaluate<string>(`document.querySelector('main')?.innerText`);
            return now.length > 0 && now.every((ask) => shown.includes(ask));
          },
          { what: 'the page shows what is true now', timeoutMs: 20_000 },
        );
        await page.waitFor(`document.querySelectorAll('canvas').length > 0`);
        await picture('3-market');
      }, 150_000);

      test('show what can be bought now, with its legs and ladder', async () => {
        await page.goto(`${site()}/opportunities`);
        const shown = () => page.evaluate<boolean>(`/Edge by size/.test(document.querySelector('main')?.innerText)`);
        await waitUntil(shown, { what: 'an opportunity is open', timeoutMs: 90_000, evidence: standing });
        await picture('4-opportunities');
        expect(page.errors).toEqual([]);
      }, 120_000);

      test('say that the plan is not active, and show nothing', async () => {
        await plan('trader', 'basic', 'inactive');
        await page.goto(`${site()}/markets`);
        await person.waitForText('Your plan does not include this channel');
        expect(await marketsShown()).toBe(0);
        await picture('5-inactive');
      });
    });
  });
