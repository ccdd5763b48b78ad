/** The review queue as text for a terminal. */

export type Queue = {
  counts: { [state: string]: number };
  entries: {
    subject: string;
    kind: string;
    group: string;
    state: string;
    pairs: number;
    names: number;
    names_agreeing: number;
  }[];
};

type Listing = { event: string; title: string; url: string };
export type Entry = {
  subject: string;
  kind: 'league' | 'race' | 'names';
  state: string;
  digest: string;
  problem: string | null;
  ignored?: string | null;
  decided_by?: string;
  definition: { id: string; name: string; sport?: string; ways: number; extends?: string } | null;
  names: {
    name_a?: string;
    name_b?: string | null;
    games?: number;
    similarity?: number;
    state: string;
    name?: string;
    source?: string;
    code?: string | null;
  }[];
  pairs: {
    id: string;
    title: string;
    start_at: string | null;
    venue_a: Listing;
    venue_b: Listing;
    names: { venue_a: string; venue_b: string }[];
    entity: number;
    resolution: number;
    blocked_by: string | null;
  }[];
  record: { [what: string]: number };
  decisions: { decision: string; by: string; at: string; note: string | null }[];
};

export function describeQueue(queue: Queue, state: string): string {
  const counts = Object.entries(queue.counts).map(([name, many]) => `${many} ${name}`);
  const lines = queue.entries.map(({ subject, kind, group, pairs, names, names_agreeing, state: now }) => {
    const agreeing = kind === 'league' ? `, ${names_agreeing} of ${names} names agree` : '';
    const found = kind === 'names' ? 'names of a participant' : `${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`;
    return `${group}: ${found}${agreeing}${state === 'all' ? ` (${now})` : ''}\n  ${subject}`;
  });
  return [counts.length === 0 ? 'The queue is empty.' : counts.join(', '), ...lines].join('\n');
}

function nameLine(name: Entry['names'][number]): string {
  if (name.name !== undefined) {
    return `  ${name.state} "${name.name}" (from ${name.source}${name.code ? `; refused: ${name.code}` : ''})`;
  }
  return `  ${name.state}: ${name.name_a} = ${name.name_b ?? 'not read'} (${name.games} games, similarity ${name.similarity})`;
}

const pairLines = (pair: Entry['pairs'][number]): string[] => [
  `${pair.id}  ${pair.start_at ?? 'no start'}  ${pair.blocked_by === null ? 'would be published' : `stays a candidate: ${pair.blocked_by}`}`,
  `  venue_a ${pair.venue_a.event}  ${pair.venue_a.title}`,
  `  venue_b ${pair.venue_b.event}  ${pair.venue_b.title}`,
  `  ${pair.names.map((one) => (one.venue_a === one.venue_b ? one.venue_a : `${one.venue_a} = ${one.venue_b}`)).join(', ')}; entity ${pair.entity}, resolution ${pair.resolution}`,
];

export function describeEntry(entry: Entry): string {
  const { definition, record } = entry;
  const league =
    definition === null
      ? []
      : [
          definition.extends === undefined
            ? `A confirmation adds the league "${definition.name}" (${definition.id}), sport ${definition.sport ?? 'unknown'}, ${definition.ways} outcomes.`
            : `A confirmation adds the series and the prefix to ${definition.extends}.`,
        ];
  return [
    `${entry.subject}: ${entry.state}${entry.decided_by === undefined ? '' : ` by ${entry.decided_by}`}`,
    ...league,
    ...(entry.problem === null ? [] : [`It cannot be confirmed as it is: ${entry.problem}.`]),
    ...(entry.ignored ? [`The parsers ignore it: ${entry.ignored}.`] : []),
    ...entry.names.map(nameLine),
    ...entry.pairs.flatMap(pairLines),
    `Others of this kind: ${Object.entries(record)
      .map(([what, many]) => `${many} ${what.replaceAll('_', ' ')}`)
      .join(', ')}.`,
    ...entry.decisions.map(
      ({ decision, by, at, note }) => `${at} ${decision} by ${by}${note === null ? '' : `: ${note}`}`,
    ),
  ].join('\n');
}
