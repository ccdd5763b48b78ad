import { type ResultRow, toResultRow } from './result_row.ts';

/**
 * Anonymous memory (RssAnon, MB) by part of the stack. It excludes shared memory, such as the
 * buffers of Postgres, which have a fixed size.
 */
export type Sample = { minutes: number; parts: Readonly<Record<string, number>>; total: number };

/** Growth up to this factor is normal between two garbage collections. */
const MAX_GROWTH = 1.15;

/**
 * The rows of the whole stack and of each part. They compare the last sample with the first. The
 * samples are sorted by time.
 */
export function memoryRows(samples: readonly Sample[]): ResultRow[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return [];
  const span = `after ${round(last.minutes)} min against ${round(first.minutes)} min`;
  const row = (name: string, of: (sample: Sample) => number): ResultRow =>
    toResultRow({
      name: `memory of the local stack ${span}: ${name}`,
      ratio: of(last) / of(first),
      target: MAX_GROWTH,
      better: 'lower',
      detail: samples.map((sample) => `${round(sample.minutes)} min ${round(of(sample))} MB`).join(', '),
    });
  const parts = Object.keys(first.parts).filter((part) => part in last.parts);
  return [
    row('whole stack', (sample) => sample.total),
    ...parts.sort().map((part) => row(part, (sample) => sample.parts[part] ?? 0)),
  ];
}

/** The part of the stack that a process belongs to, by its command line. */
export function partNameOf(command: string): string {
  if (/^postgres|bin\/postgres/.test(command)) return 'postgres';
  const part =
    /functions\/(\w+)\/(?:index|container)|f-(api|ingest|stream|deliver)\b|local\/(?:platform\/)?(realtime|jobs|auth|venue_simulator|gateway)\//.exec(
      command,
    );
  return part?.[1] ?? part?.[2] ?? part?.[3] ?? 'the rest';
}

export const round = (value: number): number => Math.round(value * 10) / 10;
