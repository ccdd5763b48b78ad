/** A connection whose messages may be delayed for a while. It keeps their order. */
export class DelayedPipe {
  readonly #write: (text: string) => void;
  readonly #waiting: { due: number; text: string }[] = [];
  #timer: NodeJS.Timeout | null = null;
  #delay = 0;
  #slowUntil = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** For `forMs` of real time, every message takes `delay` longer. */
  slow(delay: number, forMs: number): void {
    this.#delay = delay;
    this.#slowUntil = Date.now() + forMs;
  }

  send(text: string): void {
    const now = Date.now();
    if (this.#waiting.length === 0 && now >= this.#slowUntil) {
      this.#write(text);
      return;
    }
    this.#waiting.push({ due: now + (now < this.#slowUntil ? this.#delay : 0), text });
    this.#timer ??= setTimeout(() => this.#flush(), this.#delay);
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting.length = 0;
  }

  #flush(): void {
    this.#timer = null;
    const now = Date.now();
    let sent = 0;
    while (sent < this.#waiting.length && (this.#waiting[sent]?.due ?? 0) <= now)
      this.#write(this.#waiting[sent++]?.text ?? '');
    this.#waiting.splice(0, sent);
    const next = this.#waiting[0];
    if (next) this.#timer = setTimeout(() => this.#flush(), Math.max(1, next.due - now));
  }
}
