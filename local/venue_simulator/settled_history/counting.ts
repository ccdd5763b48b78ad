import type { Universe } from '../universe/universe.ts';
import { type Past, pastOf } from './past.ts';

/** Work and rest by turns, in real milliseconds: the market goes on while the past is counted. */
const WORK_MS = 8;
const REST_MS = 4;

/** Counts the past once, from the first time that somebody asks; null while it counts. */
export class Counting {
  private readonly universe: Universe;
  private past: Past | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(universe: Universe) {
    this.universe = universe;
  }

  told(): Past | null {
    if (!this.past && !this.timer) this.goOn(pastOf(this.universe));
    return this.past;
  }

  stop(): void {
    if (this.timer) clearTimeout(this.timer);
  }

  private goOn(days: ReturnType<typeof pastOf>): void {
    const end = performance.now() + WORK_MS;
    for (let next = days.next(); ; next = days.next()) {
      if (next.done) {
        this.past = next.value;
        return;
      }
      if (performance.now() >= end) break;
    }
    this.timer = setTimeout(() => this.goOn(days), REST_MS);
  }
}
