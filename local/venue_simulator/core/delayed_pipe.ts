import type { Cancel, Clock } from './clock.ts';

/** A connection whose messages may be delayed for a while. It keeps their order. */
export class DelayedPipe {
  readonly #write: (text: string) => void;
  readonly #waiting: { due: number; text: string }[] = [];
  readonly #clock: Clock;
  #cancel: Cancel | null = null;
  #delay = 0;
  #slowUntil = 0;

  constructor(write: (text: string) => void, clock: Clock) {
    this.#write = write;
    this.#clock = clock;
  }

  /** For `forMs` of real time, every message takes `delay` longer. */
  slow(delay: number, forMs: number): void {
    this.#delay = delay;
    this.#slowUntil = this.#clock.now() + forMs;
  }

  send(text: string): void {
    const now = this.#clock.now();
    if (this.#waiting.length === 0 && now >= this.#slowUntil) {
      this.#write(text);
      return;
    }
    this.#waiting.push({ due: now + (now < this.#slowUntil ? this.#delay : 0), text });
    this.#cancel ??= this.#clock.after(this.#delay, () => this.#flush());
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#waiting.length = 0;
  }

  #flush(): void {
    this.#cancel = null;
    const now = this.#clock.now();
    let sent = 0;
    while (sent < this.#waiting.length && (this.#waiting[sent]?.due ?? 0) <= now)
      this.#write(this.#waiting[sent++]?.text ?? '');
    this.#waiting.splice(0, sent);
    const next = this.#waiting[0];
    if (next) this.#cancel = this.#clock.after(Math.max(1, next.due - now), () => this.#flush());
  }
}
