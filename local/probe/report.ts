import type { Fact } from './facts.ts';
import type { ProbeResult } from './probe.ts';
import { hasFailed } from './probe.ts';
import type { Row } from './row.ts';

const HEAD = ['venue', 'endpoint', 'status', 'rows', 'unknown', 'missing', 'rejected'];
/** Names in one cell. The rest is below the table. */
const NAMES_PER_CELL = 2;

/** The table of endpoints, the failures and all names in full, and the facts. */
export function reportOf(result: ProbeResult): string {
  const { rows, facts } = result;
  return [
    tableOf(rows),
    ...section('Failures', rows.flatMap(failureLine)),
    ...section(
      'Unknown fields and values',
      rows.flatMap((row) => namesLine(row, row.unknown)),
    ),
    ...section(
      'Missing fields',
      rows.flatMap((row) => namesLine(row, row.missing)),
    ),
    ...section(
      'Rejected rows',
      rows.flatMap((row) => namesLine(row, row.rejected)),
    ),
    ...section('Documents (docs/venues.md, section G)', facts.map(factLine)),
    verdict(result),
  ].join('\n\n');
}

/** The rows of venue_a come first. The venues are read at once, so the rows arrive mixed. */
export function tableOf(rows: readonly Row[]): string {
  const sorted = [...rows].sort((x, y) => x.venue.localeCompare(y.venue));
  const lines = [
    HEAD,
    ...sorted.map(({ venue, endpoint, status, rows: read, unknown, missing, rejected }) => [
      venue,
      endpoint,
      status,
      read || '-',
      cell(unknown),
      cell(missing),
      cell(rejected),
    ]),
  ];
  const widths = HEAD.map((_, at) => Math.max(...lines.map((line) => (line[at] ?? '').length)));
  return lines
    .map((line) =>
      line
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const cell = (names: readonly string[]): string =>
  names.length === 0
    ? '-'
    : `${names.slice(0, NAMES_PER_CELL).join(', ')}${names.length > NAMES_PER_CELL ? `, ${names.length - NAMES_PER_CELL} more` : ''}`;

const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}\n${lines.map((line) => `  ${line}`).join('\n')}`];

const failureLine = ({ venue, endpoint, failure }: Row): string[] =>
  failure === null ? [] : [`${venue} ${endpoint}: ${failure}`];

const namesLine = ({ venue, endpoint }: Row, names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`${venue} ${endpoint}: ${names.join(', ')}`];

const factLine = ({ id, state, sentence }: Fact): string => `${state.padEnd(11)}  ${id.padEnd(3)}  ${sentence}`;

function verdict(result: ProbeResult): string {
  const { rows, facts } = result;
  const failures =
    rows.filter((row) => row.failure !== null).length + facts.filter(({ state }) => state === 'failed').length;
  const warnings =
    rows.filter((row) => row.unknown.length > 0).length + facts.filter(({ state }) => state === 'warning').length;
  const counts = `${failures} failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`;
  return hasFailed(result)
    ? `The venues differ from what the adapters rely on: ${counts}`
    : `Both venues serve what the adapters rely on: ${counts}`;
}
