import type { Page } from './chromium.ts';

/** What a person does on a page: finds things by what they say, presses them, fills them in. */
export class Person {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /** Presses the button or link with exactly this name, once it is there and can be pressed. */
  async press(name: string): Promise<void> {
    await this.page.until(`${named(name)} && !${named(name)}.disabled`);
    await this.page.evaluate(`${named(name)}.click()`);
  }

  /** Fills in the field with this label, as typing would. */
  async fill(label: string, text: string): Promise<void> {
    const field = labelled(label);
    await this.page.until(field);
    await this.page.evaluate(`(() => { const field = ${field}; field.focus(); field.select(); })()`);
    await this.page.type(text);
  }

  /** Waits until the page says so. */
  async reads(text: string): Promise<void> {
    await this.page.until(`document.body.innerText.includes(${JSON.stringify(text)})`);
  }

  async isAt(path: string): Promise<void> {
    await this.page.until(`location.pathname === ${JSON.stringify(path)} && document.querySelector('h1')`);
  }
}

const named = (name: string): string =>
  `[...document.querySelectorAll('button, a')].findLast((one) => one.checkVisibility() && (one.getAttribute('aria-label') ?? one.innerText.split('\\n')[0].trim()) === ${JSON.stringify(name)})`;

const labelled = (label: string): string =>
  `[...document.querySelectorAll('input')].findLast((one) => one.checkVisibility() && (one.getAttribute('aria-label') ?? one.labels?.[0]?.querySelector('span')?.innerText) === ${JSON.stringify(label)})`;
