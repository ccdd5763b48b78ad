import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { axeViolations } from './support/axe.ts';
import type { Browser, Page, Viewport } from './support/chromium.ts';
import { serveSite } from './support/site.ts';

const KEY = 'sk_live_abcdefgh_of_a_test';
const wide: Viewport = { width: 1440, height: 900 };

type Received = { method: string; url: string; key: string | undefined; cookie: string | undefined; body: string };
type Parts = { browser: Browser; folder: string; document: { paths: Record<string, object> } };

/** The endpoints of these tests. axe takes many seconds on the page with all endpoints. */
const PATHS = [
  '/v2/markets',
  '/v2/pairs/{market_id}',
  '/v2/rules',
  '/v2/coverage',
  '/v1/webhooks',
  '/v1/webhooks/{id}',
];

/** The form of the reference, against an API that notes what it receives. */
export const tryItSuite = (at: () => Parts) =>
  describe('the form of an endpoint', () => {
    const received: Received[] = [];
    let api: Awaited<ReturnType<typeof serveNoting>>;
    let site: Awaited<ReturnType<typeof serveSite>>;
    beforeAll(async () => {
      const { paths, ...document } = at().document;
      const shown = Object.fromEntries(Object.entries(paths).filter(([path]) => PATHS.includes(path)));
      api = await serveNoting({ ...document, paths: shown }, received);
      site = await serveSite(at().folder, api.port);
    });
    afterAll(async () => {
      await site?.close();
      await api?.close();
    });

    const opened = async (endpoint: string, viewport = wide): Promise<Page> => {
      received.length = 0;
      const page = await at().browser.page(viewport, true);
      await page.goto(`${site.base}/docs/#${endpoint}`);
      await page.waitFor(`document.querySelector('#${endpoint} .try')`);
      await page.evaluate(`document.querySelector('#${endpoint} .try').open = true; 0`);
      await page.waitFor(`document.querySelector('#${endpoint} .try-it')`);
      return page;
    };
    const send = (page: Page) => page.evaluate(`document.querySelector('.try-it button[type=submit]').click()`);
    /** Writes as a reader does, with the events of the browser. */
    const write = async (page: Page, field: string, text: string) => {
      await page.evaluate(`(() => {
        const field = document.querySelector(${JSON.stringify(field)});
        field.focus();
        field.select?.();
      })()`);
      await page.type(text);
    };
    const answer = (page: Page) => page.evaluate<string>(`document.querySelector('.answer').innerText`);

    test('sends the key in the header only, and keeps it for the tab only', async () => {
      const page = await opened('get_markets');
      await write(page, '.own-key', KEY);
      await send(page);
      await page.waitFor(`document.querySelector('.answer')`);
      expect(received).toEqual([
        {
          method: 'GET',
          url: '/api/v2/markets?limit=1&sort=-spread_pts',
          key: `Bearer ${KEY}`,
          cookie: undefined,
          body: '',
        },
      ]);
      expect(page.requests.filter((url) => url.includes('sk_live'))).toEqual([]);
      expect(await page.evaluate(`JSON.stringify(localStorage) + document.cookie + location.href`)).not.toContain(KEY);
      expect(await page.evaluate(`document.querySelector('#get_markets .code-tabs').innerText`)).toContain('YOUR_KEY');
      await page.evaluate(`location.reload()`);
      await page.waitFor(`document.querySelector('#get_rules .try') && !document.querySelector('.try-it')`);
      await page.evaluate(`document.querySelector('#get_rules .try').open = true; 0`);
      await page.waitFor(`document.querySelector('.own-key')?.value === '${KEY}'`);
      await page.evaluate(`document.querySelector('.try-key button').click()`);
      await page.waitFor(`document.querySelector('.own-key').value === ''`);
      expect(await page.evaluate(`JSON.stringify(sessionStorage)`)).not.toContain(KEY);
    });

    test('shows status, time, headers and body, and passes axe in every width and theme', async () => {
      for (const viewport of [
        wide,
        { width: 390, height: 800, dark: true },
        { width: 2560, height: 1440, dark: true },
      ]) {
        const page = await opened('get_pair', viewport);
        await page.evaluate(
          `document.querySelector('.try-it button[type=submit]').scrollIntoView({ block: 'center' })`,
        );
        await send(page);
        await page.waitFor(`document.querySelector('.answer')`);
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
      await page.evaluate(`document.querySelector('.try-more').open = true; 0`);
      const kinds = await page.evaluate<
        string[]
      >(`['sort', 'limit', 'has_history', 'competition', 'status'].map((name) => {
        const label = [...document.querySelectorAll('.try-field')].find((one) => one.querySelector('.name')?.innerText === name);
        const input = label.querySelector('input, select');
        return input.tagName + ' ' + input.type;
      })`);
      expect(kinds).toEqual(['SELECT select-one', 'INPUT number', 'SELECT select-one', 'INPUT text', 'INPUT checkbox']);
      await write(page, '.try-it input[type=number]', '3');
      await page.evaluate(
        `[...document.querySelectorAll('.words label')].find((one) => one.innerText === 'settlement').click()`,
      );
      const expected = '/v2/markets?limit=3&sort=-spread_pts&include=settlement';
      await page.waitFor(`document.querySelector('.try-address').innerText === ${JSON.stringify(`GET ${expected}`)}`);
      expect(await page.evaluate(`document.querySelector('#get_markets .copyable').innerText`)).toContain(expected);
    });

    test('asks before it sends a DELETE, and Cancel sends nothing', async () => {
      const page = await opened('delete_webhook');
      await page.evaluate(`(() => {
        const field = document.querySelector('.try-it input[type=text]:not(.own-key)');
        field.value = '';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      })()`);
      await page.waitFor(`document.querySelector('.try-address').innerText.endsWith('{id}')`);
      await send(page);
      await page.waitFor(`document.querySelector('.try-it .problem')?.innerText.startsWith('Enter id')`);
      await write(page, '.try-it input[type=text]:not(.own-key)', '8669ded8-8d0c-4eb5-9316-e73a27a59f5a');
      await send(page);
      await page.waitFor(`document.querySelector('dialog[open]')?.innerText.includes('cannot be undone')`);
      expect(await axeViolations(page, 'dialog[open]')).toEqual([]);
      await page.evaluate(`document.querySelector('dialog[open] .button').click()`);
      await page.waitFor(`!document.querySelector('dialog[open]')`);
      expect(received).toEqual([]);
      await send(page);
      await page.waitFor(`document.querySelector('dialog[open]')`);
      await page.evaluate(`document.querySelector('dialog[open] .button.danger').click()`);
      await page.waitFor(`document.querySelector('.answer')`);
      expect(received.map(({ method }) => method)).toEqual(['DELETE']);
    });

    test('sends a body only if it is JSON', async () => {
      const page = await opened('register_webhook');
      await write(page, '.try-it textarea', '{"url": ');
      await send(page);
      await page.waitFor(`document.querySelector('.try-it .problem')?.innerText.startsWith('The body is not JSON')`);
      await write(page, '.try-it textarea', '{"url":"https://hooks.example.com"}');
      await send(page);
      await page.waitFor(`document.querySelector('dialog[open]')`);
      await page.evaluate(`document.querySelector('dialog[open] .button.first').click()`);
      await page.waitFor(`document.querySelector('.answer')`);
      expect(received.map(({ method, body }) => [method, body])).toEqual([
        ['POST', '{"url":"https://hooks.example.com"}'],
      ]);
    });

    test('shows an error as the API gives it, and shortens a long body', async () => {
      const page = await opened('get_rules');
      await send(page);
      await page.waitFor(`document.querySelector('.answer')`);
      expect(await answer(page)).toMatch(/^422 refused/);
      expect(await answer(page)).toContain('"code": "validation"');
      const long = await opened('get_coverage');
      await send(long);
      await long.waitFor(`document.querySelector('.answer')`);
      expect(await answer(long)).toMatch(/The first 40,000 of \d{3},\d{3} characters/);
      expect(await long.evaluate<number>(`document.querySelector('.answer .json').innerText.length`)).toBe(40_000);
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
