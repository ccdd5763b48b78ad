import { waitUntil } from '../../support/wait_until.ts';
import type { Page } from './chromium.ts';

/** Uses a page as a person does: finds elements by their text, presses them and fills in fields. */
export class PageUser {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /**
   * Presses the button or link with this name, or whose name begins with it, when it exists and is
   * enabled.
   */
  async press(name: string): Promise<void> {
    await this.page.waitFor(`${named(name)} && !${named(name)}.disabled`);
    await this.click(named(name));
  }

  /**
   * Clicks the middle of an element, given as an expression on the page, once it no longer moves: a
   * page that still loads would move it away from the click.
   */
  async click(element: string): Promise<void> {
    let last = '';
    const [x, y] = await waitUntil(
      async () => {
        const middle = await this.#middleOf(element);
        const rests = String(middle) === last;
        last = String(middle);
        return rests && middle;
      },
      { what: `${element} rests`, timeoutMs: 20_000, everyMs: 50 },
    );
    await this.page.clickAt(x, y);
  }

  #middleOf(element: string): Promise<[x: number, y: number]> {
    return this.page.evaluate(`(() => {
      const element = ${element};
      element.scrollIntoView({ block: 'nearest', behavior: 'instant' });
      const { left, top, width, height } = element.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    })()`);
  }

  /** Types text into the field with this label. */
  async fill(label: string, text: string): Promise<void> {
    const field = labelled(label);
    await this.page.waitFor(field);
    await this.page.evaluate(`(() => { const field = ${field}; field.focus(); field.select(); })()`);
    await this.page.type(text);
  }

  /** Waits until the page shows this text. */
  async waitForText(text: string): Promise<void> {
    await this.page.waitFor(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  async waitForPath(path: string): Promise<void> {
    await this.page.waitFor(`location.pathname === ${JSON.stringify(path)} && document.querySelector('h1')`);
  }
}

const named = (name: string): string =>
  `((all, called) => all.findLast((one) => called(one) === ${JSON.stringify(name)}) ?? all.findLast((one) => called(one).startsWith(${JSON.stringify(`${name} `)})))(
    [...document.querySelectorAll('button, a')].filter((one) => one.checkVisibility()),
    (one) => (one.getAttribute('aria-label') ?? one.textContent).replace(/\\s+/g, ' ').trim(),
  )`;

const labelled = (label: string): string =>
  `[...document.querySelectorAll('input, textarea')].findLast((one) => one.checkVisibility() && (one.getAttribute('aria-label') ?? one.labels?.[0]?.querySelector('span')?.innerText) === ${JSON.stringify(label)})`;
