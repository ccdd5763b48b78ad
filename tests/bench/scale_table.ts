// npx tsx tests/bench/scale_table.ts [FILE]
//
// Prints the tables of docs/scale.md from the figures of `npm run bench -- --only carriers --json`.
// Without FILE, those of the last measurement in docs/measurements.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inputsOf, renderInputs } from './scale/inputs.ts';
import { layoutFor, renderLayouts } from './scale/layout.ts';

export const LISTENERS = [1, 1_000, 10_000, 100_000, 1_000_000] as const;
const MEASURED = new URL('../../docs/measurements/2026-11-27-carriers.json', import.meta.url);

/** The two tables of docs/scale.md. */
export function scaleTables(file: string | URL = MEASURED): { inputs: string; sizes: string } {
  const { rows } = JSON.parse(readFileSync(file, 'utf8')) as { rows: { figures?: Record<string, number> }[] };
  const inputs = inputsOf(Object.assign({}, ...rows.map(({ figures }) => figures ?? {})));
  return {
    inputs: renderInputs(inputs),
    sizes: renderLayouts(LISTENERS.map((listeners) => layoutFor(listeners, inputs))),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { inputs, sizes } = scaleTables(process.argv[2] ?? MEASURED);
  console.log(`${inputs}\n\n${sizes}`);
}
