import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiDocument, withSomePaths } from './support/api_document.ts';
import { axeViolations } from './support/axe.ts';
import { openPage, type Viewport, type WatchedPage } from './support/page.ts';
import { serveSite } from './support/site.ts';

const KEY = 'sk_live_abcdefgh_of_a_test';
const wide: Viewport = { width: 1440, height: 900 };

type Received = { method: string; url: string; key: string | undefined; cookie: string | undefined; body: string };
type Parts = { folder: string; document: ApiDocument };

/** The form of the reference, against an API that notes what it receives. */
export const tryItSuite = (at: () => Parts) =>
  describe('the form of an endpoint', () => {
    const received: Received[] = [];
    let api: Awaited<ReturnType<typeof serveNoting>>;
    let site: Awaited<ReturnType<typeof serveSite>>;
    beforeAll(async () => {
      api = await serveNoting(withSomePaths(at().document), received);
      site = await serveSite(at().folder, api.port);
    });
    afterAll(async () => {
      await site?.close();
      await api?.close();
    });

    const opened = async (endpoint: string, viewport = wide): Promise<WatchedPage> => {
      received.length = 0;
      const page = await openPage(viewport);
      await page.goto(`${site.base}/docs/#${endpoint}`);
      await page.locator(`#${endpoint} .try > summary`).click();
      await page.locator(`#${endpoint} .try-it`).waitFor();
      return page;
    };
    const send = (page: WatchedPage) => page.locator('.try-it button[type=submit]').first().click();
    const answer = (page: WatchedPage) => page.locator('.answer').first().innerText();

    test('sends the key in the header only, and keeps it for the tab only', async () => {
      const page = await opened('get_markets');
      await page.locator('.own-key').fill(KEY);
      await send(page);
      await page.locator('.answer').first().waitFor();
      expect(received).toEqual([
        {
          method: 'GET',
          url: '/api/v2/markets?limit=1&sort=-spread_pts',
          key: `Bearer ${KEY}`,
          cookie: undefined,
          body: '',
        },
      ]);
      expect(page.requested.filter((url) => url.includes('sk_live'))).toEqual([]);
      expect(await page.evaluate(`JSON.stringify(localStorage) + document.cookie + location.href`)).not.toContain(KEY);
      expect(await page.locator('#get_markets .code-tabs').first().innerText()).toContain('YOUR_KEY');
      await page.reload();
      await page.locator('#get_rules .try > summary').click();
      await page.waitForFunction((key) => document.querySelector<HTMLInputElement>('.own-key')?.value === key, KEY);
      await page.locator('.try-key button').first().click();
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('.own-key')?.value === '');
      expect(await page.evaluate(`JSON.stringify(sessionStorage)`)).not.toContain(KEY);
    });

    test('shows status, time, headers and body, and passes axe in every width and theme', async () => {
      for (const viewport of [
        wide,
        { width: 390, height: 800, dark: true },
        { width: 2560, height: 1440, dark: true },
      ]) {
        const page = await opened('get_pair', viewport);
        await send(page);
        await page.locator('.answer').first().waitFor();
        expect(await answer(page)).toMatch(/200 answered\s+\d+ ms\s+\d+ B/);
        expect(await answer(page)).toMatch(/X-Request-Id\s+id-of-the-test\s+RateLimit\s+"window";r=599;t=60/);
        expect(await answer(page)).toContain('"url": "/api/v2/pairs/mkt_');
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        expect(await axeViolations(page, '#get_pair .samples')).toEqual([]);
        expect(page.errors).toEqual([]);
      }
    });

    test('has an input for each type of parameter, and the samples follow it', async () => {
      const page = await opened('get_markets');
      await page.locator('.try-more > summary').click();
      const kinds = await page.evaluate<
        string[]
      >(`['sort', 'limit', 'has_history', 'competition', 'status'].map((name) => {
        const label = [...document.querySelectorAll('.try-field')].find((one) => one.querySelector('.name')?.innerText === name);
        const input = label.querySelector('input, select');
        return input.tagName + ' ' + input.type;
      })`);
      expect(kinds).toEqual(['SELECT select-one', 'INPUT number', 'SELECT select-one', 'INPUT text', 'INPUT checkbox']);
      await page.getByRole('spinbutton', { name: 'limit' }).fill('3');
      await page.locator('.words label', { hasText: /^settlement$/ }).click();
      const expected = '/v2/markets?limit=3&sort=-spread_pts&include=settlement';
      await page.locator('.try-address').getByText(`GET ${expected}`, { exact: true }).waitFor();
      expect(await page.locator('#get_markets .copyable').first().innerText()).toContain(expected);
    });

    test('asks before it sends a DELETE, and Cancel sends nothing', async () => {
      const page = await opened('delete_webhook');
      await page.locator('.try-it input[type=text]:not(.own-key)').fill('');
      await page.locator('.try-address', { hasText: /\{id\}$/ }).waitFor();
      await send(page);
      await page.locator('.try-it .problem', { hasText: /^Enter id/ }).waitFor();
      await page.locator('.try-it input[type=text]:not(.own-key)').fill('8669ded8-8d0c-4eb5-9316-e73a27a59f5a');
      await send(page);
      await page.locator('dialog[open]', { hasText: 'cannot be undone' }).waitFor();
      expect(await axeViolations(page, 'dialog[open]')).toEqual([]);
      await page.locator('dialog[open] .button').first().click();
      await page.locator('dialog[open]').first().waitFor({ state: 'detached' });
      expect(received).toEqual([]);
      await send(page);
      await page.locator('dialog[open]').first().waitFor();
      await page.locator('dialog[open] .button.danger').first().click();
      await page.locator('.answer').first().waitFor();
      expect(received.map(({ method }) => method)).toEqual(['DELETE']);
    });

    test('sends a body only if it is JSON', async () => {
      const page = await opened('register_webhook');
      await page.locator('.try-it textarea').fill('{"url": ');
      await send(page);
      await page.locator('.try-it .problem', { hasText: /^The body is not JSON/ }).waitFor();
      await page.locator('.try-it textarea').fill('{"url":"https://hooks.example.com"}');
      await send(page);
      await page.locator('dialog[open]').first().waitFor();
      await page.locator('dialog[open] .button.first').first().click();
      await page.locator('.answer').first().waitFor();
      expect(received.map(({ method, body }) => [method, body])).toEqual([
        ['POST', '{"url":"https://hooks.example.com"}'],
      ]);
    });

    test('shows an error as the API gives it, and shortens a long body', async () => {
      const page = await opened('get_rules');
      await send(page);
      await page.locator('.answer').first().waitFor();
      expect(await answer(page)).toMatch(/^422 refused/);
      expect(await answer(page)).toContain('"code": "validation"');
      const long = await opened('get_coverage');
      await send(long);
      await long.locator('.answer').first().waitFor();
      expect(await answer(long)).toMatch(/The first 40,000 of \d{3},\d{3} characters/);
      expect(await long.locator('.answer .json').innerText()).toHaveLength(40_000);
    });
  });

/** An API that notes each request and returns it. Rules are refused; coverage is long. */
async function serveNoting(document: object, received: Received[]): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '', 'http://base').pathname.replace('/api', '');
    response.setHeader('content-type', 'application/json');
    if (path === '/openapi.json') return response.end(JSON.stringify(document));
    const note = await noted(request);
    received.push(note);
    response.setHeader('X-Request-Id', 'id-of-the-test').setHeader('RateLimit', '"window";r=599;t=60');
    if (path === '/v2/rules') return response.writeHead(422).end('{"error":"limit: wrong.","code":"validation"}');
    const body = path === '/v2/coverage' ? { rows: Array.from({ length: 9_000 }, (_, row) => ({ row })) } : note;
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { port: (server.address() as AddressInfo).port, close };
}

async function noted(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { authorization: key, cookie } = request.headers;
  const body = Buffer.concat(chunks).toString();
  return { method: request.method ?? '', url: request.url ?? '', key, cookie, body };
}
