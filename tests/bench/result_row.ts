/** One line of the report: a measurement beside its yardstick in the same run. */
export type Row = {
  name: string;
  /** Measured divided by yardstick. */
  ratio: number;
  target: number;
  /** Whether a lower or a higher ratio is the better one. */
  better: 'lower' | 'higher';
  holds: boolean;
  detail: string;
};

/** A row whose verdict follows from its ratio. One that is no number (nothing was measured) holds never. */
export function rowOf(row: Omit<Row, 'holds'>): Row {
  return { ...row, holds: row.better === 'lower' ? row.ratio <= row.target : row.ratio >= row.target };
}

/** The lines of the table, in columns: verdict, name, ratio, target, detail. */
export function tableOf(rows: readonly Row[]): string[] {
  const cells = rows.map((row) => [
    row.holds ? 'holds' : 'MISSED',
    row.name,
    `${row.ratio.toFixed(2)}x`,
    `${row.better === 'lower' ? '<=' : '>='} ${row.target}x`,
    row.detail,
  ]);
  const widths = [0, 1, 2, 3].map((at) => Math.max(0, ...cells.map((line) => line[at]?.length ?? 0)));
  return cells.map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '));
}

/** What `--json` writes. */
export function jsonOf(rows: readonly Row[]): string {
  return `${JSON.stringify({ rows }, null, 1)}\n`;
}
