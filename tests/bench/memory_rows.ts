import { type Row, rowOf } from './result_row.ts';

/** Megabytes of its own (RssAnon: without what it shares with others, such as Postgres' buffers, whose size is set) by what a process is. */
export type Sample = { minutes: number; parts: Readonly<Record<string, number>>; total: number };

/** Whether flat: this much more is what a heap breathes between two collections. */
const flat = 1.15;

/** Rows of samples in the order of their time: the whole stack, and each part of it. The first is what the last is held against. */
export function memoryRows(samples: readonly Sample[]): Row[] {
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return [];
  const span = `after ${round(last.minutes)} min against ${round(first.minutes)} min`;
  const row = (name: string, of: (sample: Sample) => number): Row =>
    rowOf({
      name: `memory of the local stack ${span}: ${name}`,
      ratio: of(last) / of(first),
      target: flat,
      better: 'lower',
      detail: samples.map((sample) => `${round(sample.minutes)} min ${round(of(sample))} MB`).join(', '),
    });
  const parts = Object.keys(first.parts).filter((part) => part in last.parts);
  return [
    row('all of it', (sample) => sample.total),
    ...parts.sort().map((part) => row(part, (sample) => sample.parts[part] ?? 0)),
  ];
}

/** What a process of the stack is, by its command line. */
export function partOf(command: string): string {
  if (/^postgres|bin\/postgres/.test(command)) return 'postgres';
  const part =
    /functions\/(\w+)\/(?:index|container)|f-(api|ingest|stream|deliver)\b|local\/(?:platform\/)?(realtime|jobs|auth|venues|gateway)\//.exec(
      command,
    );
  return part?.[1] ?? part?.[2] ?? part?.[3] ?? 'the rest';
}

export const round = (value: number): number => Math.round(value * 10) / 10;
