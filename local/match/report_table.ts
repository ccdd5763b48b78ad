import type { Counts, FamilyScore, Score } from './score.ts';

const share = (part: unknown, whole: unknown): string =>
  Number(whole ?? 0) === 0 ? '-' : `${((100 * Number(part ?? 0)) / Number(whole)).toFixed(1)} %`;
const of = (part: unknown, whole: unknown): string =>
  Number(whole ?? 0) === 0 ? '-' : `${part ?? 0}/${whole} ${share(part, whole)}`;

const HEAD = [
  'family',
  'precision E+H',
  'precision any',
  'inverted',
  'events E+H',
  'events any',
  'legs E+H',
  'legs any',
  'hard met E+H',
  'hard met any',
  'candidates',
];

function line(one: FamilyScore, met: string): string[] {
  const n = (count: string) => Number(one[count] ?? 0);
  return [
    String(one.family),
    of(n('hi_right'), n('hi_right') + n('hi_wrong')),
    of(n('any_right'), n('any_right') + n('any_wrong')),
    String(n('inverted')),
    of(n('events_hi'), n('events')),
    of(n('events_any'), n('events')),
    of(n('legs_hi'), n('legs')),
    of(n('legs_any'), n('legs')),
    of(n('hard_hi'), n('hard')),
    of(n('hard_any'), n('hard')),
    met,
  ];
}

export function columns(rows: readonly string[][]): string {
  const width = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(width[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The report: a line per family, then the confusions and the missed events, worst first. */
export function table(
  total: Score,
  worlds: readonly { name: string; generated: Counts }[],
  confusions: number,
): string {
  const met = (family: string | null): string => {
    const counts = worlds.flatMap((world) =>
      [...world.generated].filter(([name]) => family === null || name === family).map(([, count]) => count),
    );
    return of(
      counts.reduce((sum, count) => sum + count.met, 0),
      counts.reduce((sum, count) => sum + count.of, 0),
    );
  };
  const rows = [
    HEAD,
    ...total.families.map((one) => line(one, met(one.family))),
    line({ family: 'all', ...total.total }, met(null)),
  ];
  const parts = [
    columns(rows),
    `${worlds.length} worlds. Pairs without a label: ${total.unjudged.any}, of which ${total.unjudged.high} are EXACT or HIGH. Rejections: ${total.refusals.truly_different} of pairs labelled different, ${total.refusals.truly_same} of pairs labelled same.`,
  ];
  if (total.confusions.length > 0) {
    const named = total.confusions
      .slice(0, confusions)
      .map(
        (one) =>
          `  ${one.band} ${one.kind} ${one.family}: ${one.venue_a} "${one.title_a ?? ''}" x ${one.venue_b} "${one.title_b ?? ''}"${one.leg ? `\n      leg ${one.leg.ticker} ${one.leg.side} -> ${one.leg.outcome}` : ''}\n      label: ${JSON.stringify(one.truth)}`,
      );
    parts.push(`Confusions, ${named.length} of ${total.confusions.length}:\n${named.join('\n')}`);
  }
  if (total.missed.length > 0) {
    const named = total.missed
      .slice(0, confusions)
      .map(
        (one) => `  ${one.family}: ${one.pair.replace('|', ' x ')}${one.refused ? ` (rejected: ${one.refused})` : ''}`,
      );
    parts.push(`Missed, ${named.length} of ${total.missed.length}:\n${named.join('\n')}`);
  }
  return parts.join('\n\n');
}
