/** How often an invariant was checked, and its violations. */
export type Invariant = { name: string; checked: number; violations: { at: number; what: string }[] };

/**
 * The report keeps this many violations of one invariant: a broken stream breaks for all clients.
 */
const MAX_VIOLATIONS = 50;

export class Findings {
  readonly invariants = new Map<string, Invariant>();
  violated = 0;
  readonly #printLine: (line: string) => void;

  /** `printLine` receives each violation that the report keeps. */
  constructor(printLine: (line: string) => void = () => {}) {
    this.#printLine = printLine;
  }

  #invariant(name: string): Invariant {
    const known = this.invariants.get(name) ?? { name, checked: 0, violations: [] };
    this.invariants.set(name, known);
    return known;
  }

  addChecks(name: string, times = 1): void {
    this.#invariant(name).checked += times;
  }

  violate(name: string, what: string): void {
    this.violated += 1;
    const { violations } = this.#invariant(name);
    if (violations.length >= MAX_VIOLATIONS) return;
    violations.push({ at: Date.now(), what });
    this.#printLine(`VIOLATED  ${name}: ${what}`);
  }

  /** Adds `times` checks and the errors that they found. */
  add(name: string, times: number, errors: readonly string[]): void {
    this.addChecks(name, times);
    for (const error of errors) this.violate(name, error);
  }
}
