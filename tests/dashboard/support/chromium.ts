import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { temporaryFolder } from '../../support/temporary_folder.ts';
import { waitUntil } from '../../support/wait_until.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

/**
 * The path of Chromium: $CHROMIUM, or the first on the PATH. It is no npm dependency, because its
 * download is too large.
 */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const places = folders.flatMap((folder) => names.map((name) => join(folder, name)));
  return [process.env.CHROMIUM ?? '', ...places].find((place) => place !== '' && existsSync(place));
}

type Message = {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
  sessionId?: string;
};

type Waiting = { resolve(result: Record<string, unknown>): void; reject(error: Error): void };

/**
 * A headless Chromium, controlled with the DevTools protocol over two pipes, without a port or a
 * package.
 */
export class Browser {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners: ((message: Message) => void)[] = [];
  #lastId = 0;
  #rest = '';

  constructor(program: string) {
    this.#profile = temporaryFolder('chromium');
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const quiet = ['--disable-background-networking', '--disable-component-update', '--hide-scrollbars'];
    this.#process = spawn(
      program,
      [...flags, ...quiet, '--remote-debugging-pipe', `--user-data-dir=${this.#profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    );
    (this.#process.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    this.#process.once('exit', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('Chromium ended'));
    });
  }

  send(method: string, params: object = {}, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      (this.#process.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  listen(sessionId: string, onEvent: (method: string, params: Record<string, unknown>) => void): void {
    this.#listeners.push((message) => {
      if (message.sessionId === sessionId && message.method) onEvent(message.method, message.params ?? {});
    });
  }

  /** Opens a page. With `isolated` it has its own cookies and storage. */
  async page(viewport: Viewport, isolated = false): Promise<Page> {
    const own = isolated ? await this.send('Target.createBrowserContext') : {};
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank', ...own });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    return await Page.open(this, String(sessionId), viewport);
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#process.once('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #read(chunk: string): void {
    const messages = (this.#rest + chunk).split('\0');
    this.#rest = messages.pop() ?? '';
    for (const text of messages) {
      const message = JSON.parse(text) as Message;
      const waiting = this.#waiting.get(message.id ?? -1);
      if (!waiting) for (const listener of this.#listeners) listener(message);
      else {
        this.#waiting.delete(message.id ?? -1);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result ?? {});
      }
    }
  }
}

/**
 * `tdur`: CPU time of the thread in microseconds, which does not grow when other processes use the
 * CPU.
 */
export type TraceEvent = {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  tdur?: number;
  args: Record<string, unknown>;
};

/** Reduced motion is on unless `motion` is set, so that screenshots are reproducible. */
export type Viewport = { width: number; height: number; dark?: boolean; motion?: boolean };

/** One page, with the URLs that it requested and the errors that it logged. */
export class Page {
  readonly requests: string[] = [];
  readonly errors: string[] = [];
  readonly #browser: Browser;
  readonly #session: string;

  private constructor(browser: Browser, session: string) {
    this.#browser = browser;
    this.#session = session;
  }

  static async open(browser: Browser, session: string, { width, height, dark, motion }: Viewport): Promise<Page> {
    const page = new Page(browser, session);
    browser.listen(session, (method, params) => page.#onEvent(method, params));
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.#send(`${domain}.enable`);
    await page.resize(width, height);
    const features = [
      { name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' },
      { name: 'prefers-reduced-motion', value: motion ? 'no-preference' : 'reduce' },
    ];
    await page.#send('Emulation.setEmulatedMedia', { features });
    return page;
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  }

  async goto(url: string): Promise<void> {
    await this.#send('Page.navigate', { url });
  }

  /** Evaluates an expression on the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails).slice(0, 400)}`);
    return (result as { value: T }).value;
  }

  /** Waits until an expression is true on the page; throws after 20 seconds. */
  async waitFor(expression: string): Promise<void> {
    await waitUntil(() => this.evaluate<boolean>(`Boolean(${expression})`), {
      what: expression,
      timeoutMs: 20_000,
      everyMs: 50,
      evidence: () => this.errors.join('; '),
    });
  }

  /**
   * Runs a script in every document that this page opens from now on, before the scripts of the
   * document.
   */
  async addScript(script: string): Promise<void> {
    await this.#send('Page.addScriptToEvaluateOnNewDocument', { source: script });
  }

  /** Allows the page to read and write the clipboard. */
  async allowClipboard(): Promise<void> {
    const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite'];
    await this.#browser.send('Browser.grantPermissions', { permissions });
  }

  /** Sets the time zone of the browser: Europe/Berlin. */
  async setTimeZone(timezoneId: string): Promise<void> {
    await this.#send('Emulation.setTimezoneOverride', { timezoneId });
  }

  /** Slows the CPU of the page: 4 is a quarter of its speed. */
  async throttleCpu(rate: number): Promise<void> {
    await this.#send('Emulation.setCPUThrottlingRate', { rate });
  }

  async setOffline(away: boolean): Promise<void> {
    const speed = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
    await this.#send('Network.emulateNetworkConditions', { offline: away, ...speed });
  }

  /** The DevTools trace events of Chromium while `run` runs. */
  async traced(categories: readonly string[], run: () => Promise<void>): Promise<TraceEvent[]> {
    const noted: TraceEvent[] = [];
    const complete = new Promise<void>((resolve) => {
      this.#browser.listen(this.#session, (method, params) => {
        if (method === 'Tracing.dataCollected') noted.push(...(params.value as TraceEvent[]));
        if (method === 'Tracing.tracingComplete') resolve();
      });
    });
    const traceConfig = { includedCategories: categories };
    await this.#send('Tracing.start', { transferMode: 'ReportEvents', traceConfig });
    await run();
    await this.#send('Tracing.end');
    await complete;
    return noted;
  }

  async press(key: string, code = key): Promise<void> {
    const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
    const windowsVirtualKeyCode = { Enter: 13, Tab: 9, Escape: 27 }[key] ?? key.toUpperCase().charCodeAt(0);
    await this.#send('Input.dispatchKeyEvent', { type: 'keyDown', key, code, text, windowsVirtualKeyCode });
    await this.#send('Input.dispatchKeyEvent', { type: 'keyUp', key, code, windowsVirtualKeyCode });
  }

  /**
   * Clicks at a position. An element that covers the target receives the click, as for a real
   * pointer.
   */
  async clickAt(x: number, y: number): Promise<void> {
    const at = { x, y, button: 'left', clickCount: 1 };
    await this.#send('Input.dispatchMouseEvent', { ...at, type: 'mousePressed' });
    await this.#send('Input.dispatchMouseEvent', { ...at, type: 'mouseReleased' });
  }

  async type(text: string): Promise<void> {
    await this.#send('Input.insertText', { text });
  }

  async screenshot(file: string): Promise<void> {
    const { data } = await this.#send('Page.captureScreenshot', { format: 'png' });
    writeFileSync(file, Buffer.from(String(data), 'base64'));
  }

  #send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    return this.#browser.send(method, params, this.#session);
  }

  #onEvent(method: string, params: Record<string, unknown>): void {
    if (method === 'Network.requestWillBeSent') this.requests.push((params.request as { url: string }).url);
    if (method === 'Runtime.exceptionThrown') this.errors.push(JSON.stringify(params).slice(0, 600));
    if (method === 'Log.entryAdded') {
      const { level, text } = params.entry as { level: string; text: string };
      if (level === 'error') this.errors.push(text);
    }
  }
}
