import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  describeInChromium,
  newPage,
  picture,
  textsOf,
  type WatchedPage,
  waitForPath,
  waitForText,
} from '../dashboard/support/page.ts';
import { signUp } from '../dashboard/support/sign_up.ts';
import { type Client, clientAt } from '../support/rest.ts';
import type { RunningStack } from '../support/stack.ts';
import { waitUntil } from '../support/wait_until.ts';

/**
 * Guarantee, on the real stack: a signed-in user receives over Supabase Realtime the channels of
 * the organization's plan and no other, and the live pages show the current state of the database.
 */

const PASSWORD = 'correct horse battery';
/** `at` returns the stack once it is ready. */
export const livePageSuite = (at: () => RunningStack) =>
  describe('a signed-in user', () => {
    const site = () => new URL(at().baseUrl).origin;
    const plan = (name: string, tier: string, status = 'active') =>
      at().sql`select account.set_plan(account.find_organization(${name}), ${tier}, ${status})`;

    describe('Realtime of a session', () => {
      type Batch = { channel: string; offset: number; frames?: { type: string }[] };
      const clients: Client[] = [];
      /** The key that the page gets from its host. */
      let publishable: string;
      beforeAll(async () => {
        const config = (await (await fetch(`${site()}/config.json`)).json()) as { publishable_key: string };
        publishable = config.publishable_key;
      });
      afterAll(() =>
        Promise.all(clients.map((client) => client.removeAllChannels().then(() => client.realtime.disconnect()))),
      );

      async function signUp(name: string): Promise<{ client: Client; org: string }> {
        const client = clientAt(site(), publishable);
        clients.push(client);
        const { error } = await client.auth.signUp({ email: `${name}@example.com`, password: PASSWORD });
        expect(error).toBeNull();
        const { data } = await client.rpc('start_session');
        await client.realtime.setAuth();
        return { client, org: (data as { org_id: string }).org_id };
      }

      /** Joins a private topic. Returns the result of the join and the batches that arrive. */
      async function join(client: Client, topic: string): Promise<{ status: string; batches: Batch[] }> {
        const batches: Batch[] = [];
        const status = await new Promise<string>((resolve) => {
          client
            .channel(topic, { config: { private: true } })
            .on('broadcast', { event: '*' }, ({ payload }) => batches.push(payload as Batch))
            .subscribe((state, error) => resolve(error ? String(error.message) : state));
        });
        return { status, batches };
      }

      test('sends all markets to a Basic plan, in order and without a gap', async () => {
        const { client } = await signUp('basic');
        await plan('basic', 'basic');
        const { status, batches } = await join(client, 'markets:all');
        expect(status).toBe('SUBSCRIBED');
        await waitUntil(() => batches.filter((batch) => (batch.frames?.length ?? 0) > 0).length >= 10, {
          what: 'ten batches arrive',
        });
        const offsets = batches.flatMap(({ offset, frames = [] }) =>
          frames.map((_, i) => offset - frames.length + 1 + i),
        );
        expect(offsets).toEqual(offsets.map((_, i) => (offsets[0] ?? 0) + i));
        expect(new Set(batches.flatMap(({ frames = [] }) => frames.map(({ type }) => type)))).toContain('price');
      });

      test('admits a Free plan only to its sample, status and organization, and an anonymous client to no channel', async () => {
        const { client, org } = await signUp('free');
        for (const topic of ['sample', 'status', `org:${org}`])
          expect((await join(client, topic)).status).toBe('SUBSCRIBED');
        const [other] = await at().sql<{ org_id: string }[]>`select account.find_organization('basic') as org_id`;
        for (const topic of [
          'markets:all',
          'quotes:all',
          'best:all',
          'candidates:basketball',
          `org:${other?.org_id}`,
        ]) {
          expect((await join(client, topic)).status, topic).toMatch(/Unauthorized/);
        }
        const anonymous = clientAt(site(), publishable);
        clients.push(anonymous);
        expect((await join(anonymous, 'status')).status).toMatch(/Unauthorized/);
      });

      test('rejects a broadcast from a client', async () => {
        const { client } = await signUp('sender');
        const channel = client.channel('status', { config: { private: true, broadcast: { ack: true } } });
        await new Promise((resolve) => channel.subscribe(resolve));
        let answer = 'none';
        void channel.send({ type: 'broadcast', event: 'frames', payload: { offset: 1 } }).then((status) => {
          answer = status;
        });
        // Realtime answers no broadcast that it rejects. It answers what came after it.
        expect((await join(client, 'sample')).status).toBe('SUBSCRIBED');
        expect(answer).toBe('none');
      });
    });

    describeInChromium('a live page', () => {
      let page: WatchedPage;
      beforeAll(async () => {
        page = await newPage({ width: 1440, height: 900 });
        await page.goto(`${site()}/markets`);
        await waitForPath(page, '/sign-in');
        await signUp(page, 'trader@example.com', PASSWORD);
        await waitForPath(page, '/markets');
      });
      afterAll(() => page?.context().close());

      const take = (name: string) => picture(page, `live-${name}`);
      const visibleMarketCount = async () => Number.parseInt((await textsOf(page, '.sorting .muted'))[0] ?? '0', 10);

      /**
       * Evidence for a failure: the text of the page, the newest prices, and the last lines of the
       * stack.
       */
      async function pageState(): Promise<string> {
        await take('failure');
        const [latest] = await at().sql`
      select now(), count(*)::int as prices, max(priced_at) as last, count(*) filter (where priced_at > now() - interval '10 s')::int as in_ten_seconds
      from price.latest_updates`;
        const text = (await page.locator('main').innerText()).slice(0, 1500);
        return [text, JSON.stringify(latest), JSON.stringify(page.errors), ...at().lines.slice(-30)].join('\n');
      }

      test('shows the sample to a Free plan, and all markets after the upgrade to Basic', async () => {
        await page.locator('.sorting .muted').first().waitFor();
        const sample = await visibleMarketCount();
        expect(sample).toBeGreaterThan(0);
        expect(sample).toBeLessThanOrEqual(20);
        await take('1-sample');
        await plan('trader', 'basic');
        await page.goto(`${site()}/markets`);
        await waitUntil(async () => (await visibleMarketCount()) > 20, {
          what: 'the page has all markets',
        });
        await take('2-markets');
      });

      type Row = { href: string; id: string; asks: string[] };
      /** The visible rows with the text of their asks. */
      const visibleRows = () =>
        page.evaluate<Row[]>(`[...document.querySelectorAll('.market-row')].flatMap((row) => {
      const href = row.querySelector('a[href*="mkt_"]')?.href;
      const asks = [...row.querySelectorAll('.ask')].map((ask) => /[\\d.]+¢/.exec(ask.innerText)?.[0]).filter(Boolean);
      return href && asks.length > 0 ? [{ href, id: /mkt_([0-9a-f-]{36})/.exec(href)[1], asks }] : [];
    })`);
      const formatAsk = (ask: number) => `${(ask / 10_000).toFixed(1)}¢`;
      /** The asks of a market in the database, in the format of the page. */
      async function asksOf(id: string): Promise<Set<string>> {
        const [row] = await at().sql<{ asks: number[] }[]>`
      select array_remove(ask_a || ask_b, null) as asks from price.latest_updates where pair_id = ${id} and void_reason is null`;
        return new Set(row?.asks.map(formatAsk));
      }

      test('updates the asks of a market to those in the database', async () => {
        const before = new Map((await visibleRows()).map((row) => [row.id, row]));
        const equalsDatabase = async ({ id, asks }: Row) => {
          const now = await asksOf(id);
          return asks.every((ask) => now.has(ask));
        };
        let moved: Row | undefined;
        await waitUntil(
          async () => {
            for (const row of await visibleRows()) {
              const old = before.get(row.id);
              if (old && String(old.asks) !== String(row.asks) && (await equalsDatabase(row))) moved = row;
            }
            return moved !== undefined;
          },
          { what: 'a row changes to the asks in the database', evidence: pageState },
        );
        await waitUntil(async () => (await Promise.all((await visibleRows()).map(equalsDatabase))).every(Boolean), {
          what: 'all rows show the asks in the database',
          evidence: pageState,
        });
        const { href, id } = moved as unknown as Row;
        await page.goto(href);
        await waitForText(page, 'Books received');
        await waitForText(page, 'Price history');
        await waitUntil(
          async () => {
            const now = [...(await asksOf(id))];
            const text = await page.locator('main').innerText();
            return now.length > 0 && now.every((ask) => text.includes(ask));
          },
          { what: 'the page shows the asks in the database' },
        );
        await page.locator('canvas').first().waitFor();
        await take('3-market');
      });

      test('shows an open opportunity with its size curve', async () => {
        await page.goto(`${site()}/opportunities`);
        const hasOpportunity = async () => (await page.locator('main').innerText()).includes('Edge by size');
        await waitUntil(hasOpportunity, { what: 'an opportunity is open', evidence: pageState });
        await take('4-opportunities');
        expect(page.errors).toEqual([]);
      });

      test('reports an inactive plan and shows no market', async () => {
        await plan('trader', 'basic', 'inactive');
        await page.goto(`${site()}/markets`);
        await waitForText(page, 'Your plan does not include this channel');
        expect(await visibleMarketCount()).toBe(0);
        await take('5-inactive');
      });
    });
  });
