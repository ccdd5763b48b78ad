/** What was looked at, and what was found wrong, invariant by invariant. */
export type Invariant = { name: string; looked: number; violations: { at: number; what: string }[] };

/** Of one invariant the report keeps so many: a broken stream breaks for every client at once. */
const most = 50;

export class Findings {
  readonly invariants = new Map<string, Invariant>();
  violated = 0;
  readonly #tell: (line: string) => void;

  /** `tell` hears of a violation when it is found, of one invariant as many as are kept. */
  constructor(tell: (line: string) => void = () => {}) {
    this.#tell = tell;
  }

  #of(name: string): Invariant {
    const known = this.invariants.get(name) ?? { name, looked: 0, violations: [] };
    this.invariants.set(name, known);
    return known;
  }

  looked(name: string, times = 1): void {
    this.#of(name).looked += times;
  }

  violate(name: string, what: string): void {
    this.violated += 1;
    const { violations } = this.#of(name);
    if (violations.length >= most) return;
    violations.push({ at: Date.now(), what });
    this.#tell(`VIOLATED  ${name}: ${what}`);
  }

  /** Looked at `times` things, and these were wrong. */
  add(name: string, times: number, wrong: readonly string[]): void {
    this.looked(name, times);
    for (const what of wrong) this.violate(name, what);
  }
}
