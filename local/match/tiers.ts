import { isUnconfirmed } from './leave_one_out.ts';
import type { Miss } from './misses.ts';
import { columns } from './report_table.ts';
import type { MatchRow } from './rows.ts';
import type { Score, Truth } from './score.ts';

/**
 * How many labelled events of a family each tier finds. An event counts in the best tier of its
 * pairs: published, candidate (the registry decides, and a signal forbids publication), candidate
 * by text evidence.
 */
export type Tiers = {
  family: string;
  events: number;
  published: number;
  candidates: number;
  evidence: number;
  missed: number;
  /** Pairs of any tier that a label contradicts. */
  wrong: number;
};

type Place = 'published' | 'candidates' | 'evidence';
const PLACES: readonly Place[] = ['published', 'candidates', 'evidence'];

const placeOf = (row: MatchRow): Place =>
  isUnconfirmed(row) ? 'evidence' : (row as { stage?: string }).stage === 'catalog' ? 'published' : 'candidates';

/** Counts the labelled events of one world, as the scorer does: without thin labels. */
export function tiersOf(truth: readonly Truth[], rows: readonly MatchRow[], score: Score): Tiers[] {
  const found = new Map<string, Set<Place>>();
  for (const row of rows) {
    if (row.refused === true) continue;
    const { venue_a, venue_b } = row as { venue_a: { event_ticker: string }; venue_b: { event_slug: string } };
    const pair = `${venue_a.event_ticker}|${venue_b.event_slug}`;
    found.set(pair, (found.get(pair) ?? new Set()).add(placeOf(row)));
  }
  const missed = new Set(score.missed.map((one) => one.pair));
  const tiers = new Map<string, Tiers>();
  const of = (family: string): Tiers => {
    const counts = tiers.get(family) ?? emptyTiers(family);
    tiers.set(family, counts);
    return counts;
  };
  for (const [pair, family] of labelledEvents(truth)) {
    const counts = of(family);
    counts.events += 1;
    const place = missed.has(pair) ? undefined : PLACES.find((one) => found.get(pair)?.has(one));
    counts[place ?? 'missed'] += 1;
  }
  for (const one of score.families) if (Number(one.any_wrong ?? 0) > 0) of(one.family).wrong += Number(one.any_wrong);
  return [...tiers.values()];
}

const emptyTiers = (family: string): Tiers => ({
  family,
  events: 0,
  published: 0,
  candidates: 0,
  evidence: 0,
  missed: 0,
  wrong: 0,
});

/** The family of each event that a label calls the same and that is not thin in all its labels. */
function labelledEvents(truth: readonly Truth[]): Map<string, string> {
  const events = new Map<string, { family: string; thin: boolean }>();
  for (const row of truth) {
    if (row.label !== 'same' || row.family === 'other') continue;
    const pair = `${row.venue_a.event_ticker}|${row.venue_b.event_slug}`;
    const event = events.get(pair) ?? { family: row.family, thin: true };
    events.set(pair, { ...event, thin: event.thin && row.thin === true });
  }
  return new Map([...events].filter(([, event]) => !event.thin).map(([pair, { family }]) => [pair, family]));
}

/** A line per family over all worlds, the sum, and a line per missed event with its reason. */
export function tiersTable(
  worlds: readonly { name: string; tiers: readonly Tiers[]; misses: readonly Miss[] }[],
): string {
  const sums = new Map<string, Tiers>();
  for (const one of worlds.flatMap((world) => world.tiers)) {
    for (const family of [one.family, 'all']) {
      const sum = sums.get(family) ?? emptyTiers(family);
      for (const count of ['events', 'published', 'candidates', 'evidence', 'missed', 'wrong'] as const)
        sum[count] += one[count];
      sums.set(family, sum);
    }
  }
  const lines = [...sums.values()].sort(
    (one, other) =>
      Number(one.family === 'all') - Number(other.family === 'all') || (one.family < other.family ? -1 : 1),
  );
  const head = ['family', 'events', 'published', 'candidates', 'by text evidence', 'missed', 'wrong pairs'];
  const rows = lines.map((one) => [
    one.family,
    ...[one.events, one.published, one.candidates, one.evidence, one.missed, one.wrong].map(String),
  ]);
  const misses = worlds.flatMap(({ name, misses: all }) =>
    all.map((one) => `  missed ${name} ${one.family}: ${one.pair.replace('|', ' x ')} (${one.reason})`),
  );
  return [columns([head, ...rows]), ...misses].join('\n');
}
