import type { Paid } from '../world/settlement_verdict.ts';

/**
 * Settlements of one series and family. `apart`: paid at different prices, voids included;
 * `edge_cases`: paid alike, but neither $1 nor nothing.
 */
export type HistoryRow = {
  series: string;
  family: string;
  alike: number;
  edge_cases: number;
  apart: number;
};

/**
 * One game, race or series of one family. It settles as a whole, however many lines or runners it
 * has.
 */
export type Occasion = { series: string; family: string; paid: readonly Paid[] };

export class HistoryTable {
  readonly #rows = new Map<string, HistoryRow>();

  add({ series, family, paid }: Occasion): void {
    if (paid.length === 0) return;
    const name = `${series} ${family}`;
    const row = this.#rows.get(name) ?? { series, family, alike: 0, edge_cases: 0, apart: 0 };
    this.#rows.set(name, row);
    if (paid.some(({ a, b }) => a !== b)) row.apart += 1;
    else if (paid.some(({ a }) => a % 10_000 !== 0)) row.edge_cases += 1;
    else row.alike += 1;
  }

  json(): HistoryRow[] {
    return [...this.#rows.values()].sort((one, other) =>
      `${one.series} ${one.family}` < `${other.series} ${other.family}` ? -1 : 1,
    );
  }
}
