/** One line of the report: a measurement and its baseline from the same run. */
export type ResultRow = {
  name: string;
  /** The measurement divided by the baseline. */
  ratio: number;
  target: number;
  /** Whether a lower or a higher ratio is better. */
  better: 'lower' | 'higher';
  passes: boolean;
  detail: string;
  /** Values by name, for a program that computes with them (scale_table.ts). */
  figures?: Readonly<Record<string, number>>;
};

/** Adds the verdict to a row. A ratio of NaN never passes. */
export function toResultRow(row: Omit<ResultRow, 'passes'>): ResultRow {
  return { ...row, passes: row.better === 'lower' ? row.ratio <= row.target : row.ratio >= row.target };
}

/** Renders the lines of the table with the columns verdict, name, ratio, target and detail. */
export function renderTable(rows: readonly ResultRow[]): string[] {
  const cells = rows.map((row) => [
    row.passes ? 'pass' : 'FAIL',
    row.name,
    `${row.ratio.toFixed(2)}x`,
    `${row.better === 'lower' ? '<=' : '>='} ${row.target}x`,
    row.detail,
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '));
}

/** Renders the file of `--json`. */
export function renderJson(rows: readonly ResultRow[]): string {
  return `${JSON.stringify({ rows }, null, 1)}\n`;
}
