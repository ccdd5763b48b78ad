export const HOUR_MS = 3_600_000;

const ranges = [
  ['1 h', HOUR_MS],
  ['6 h', 6 * HOUR_MS],
  ['1 day', 24 * HOUR_MS],
  ['7 days', 7 * 24 * HOUR_MS],
] as const;

/** The length of the history that a chart shows, in ms. */
export function RangeChoice({ range, onChange }: { range: number; onChange(range: number): void }) {
  return (
    <fieldset class="segments" aria-label="Range">
      {ranges.map(([word, length]) => (
        <button key={word} type="button" aria-pressed={range === length} onClick={() => onChange(length)}>
          {word}
        </button>
      ))}
    </fieldset>
  );
}
