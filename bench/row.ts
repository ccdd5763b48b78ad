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
