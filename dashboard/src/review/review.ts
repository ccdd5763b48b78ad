import { count } from '../components/format.ts';
import type { IconName } from '../components/icon_paths.ts';

// The results of the RPCs of this page (sql/89_api_reviews.sql), and what they mean in sentences.

export type ReviewState = 'open' | 'postponed' | 'confirmed' | 'refused' | 'withdrawn';
export type ReviewKind = 'league' | 'race' | 'names';
export type Decision = 'confirm' | 'refuse' | 'postpone' | 'withdraw';

type Decided = {
  state: ReviewState;
  decided_by?: string | null;
  decided_at?: string | null;
  postponed_until?: string | null;
};

export type QueueEntry = Decided & {
  subject: string;
  kind: ReviewKind;
  group: string;
  pairs: number;
  names: number;
  names_agreeing: number;
};

export type Queue = { counts: { [State in ReviewState]?: number }; entries: QueueEntry[] };

export type Listing = { event: string; title: string | null; url: string | null };

export type ReviewPair = {
  id: string;
  title: string;
  start_at: string | null;
  venue_a: Listing;
  venue_b: Listing;
  names: { key: string; venue_a: string; venue_b: string; similarity: number }[];
  entity: number;
  resolution: number;
  /** The code why it would stay a candidate although it is confirmed. */
  blocked_by: string | null;
};

/** Two names that met in games of a league. */
export type MetName = {
  key_a: string;
  key_b: string;
  name_a: string;
  /** Null where venue_b was read as a game of another league: its printed name is unknown. */
  name_b: string | null;
  games: number;
  similarity: number;
  state: 'agrees' | 'contradictory';
};

/** A proposed or decided name of a participant. */
export type ProposedName = { alias_id: number; name: string; source: string; state: string; code: string | null };

export type Definition = {
  id: string;
  name: string;
  sport?: string;
  ways: number;
  /** A registered competition that gets a further series or prefix. */
  extends?: string;
};

export type ReviewRecord = {
  [What in
    | 'confirmed'
    | 'refused'
    | 'taken_back'
    | 'published'
    | 'settled'
    | 'rules_agreeing'
    | 'rules_diverging']: number;
};

export type PastDecision = { decision: Decision; by: string; at: string; note: string | null };

export type Entry = Decided & {
  subject: string;
  kind: ReviewKind;
  /** Of what the reviewer sees. A decision names it, and fails when it is another one now. */
  digest: string;
  definition: Definition | null;
  /** Why it cannot be confirmed as it is. */
  problem: string | null;
  /** Why the parsers do not apply a confirmation. */
  ignored?: string | null;
  names: (MetName | ProposedName)[];
  pairs: ReviewPair[];
  /** Published pairs of a confirmed subject. */
  published: number | null;
  record: ReviewRecord;
  decisions: PastDecision[];
  sports: string[] | null;
  sentences: { [code: string]: string };
};

export type DecisionResult = { state: ReviewState; candidates_again: number };

type StateMark = { word: string; icon: IconName; kind: string };

export const stateMarks: { [State in ReviewState]: StateMark } = {
  open: { word: 'Open', icon: 'review', kind: 'is-waiting' },
  postponed: { word: 'Postponed', icon: 'rotate', kind: 'is-stale' },
  confirmed: { word: 'Confirmed', icon: 'check', kind: 'is-up' },
  refused: { word: 'Refused', icon: 'revoke', kind: 'is-down' },
  withdrawn: { word: 'Taken back', icon: 'out', kind: 'is-stale' },
};

export const reviewStates = Object.keys(stateMarks) as ReviewState[];

export const kindNames: { [Kind in ReviewKind]: string } = {
  league: 'League',
  race: 'List of runners',
  names: 'Names of a participant',
};

export const decisionWords: { [Past in Decision]: string } = {
  confirm: 'Confirmed',
  refuse: 'Refused',
  postpone: 'Postponed',
  withdraw: 'Taken back',
};

export const many = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`;

const unitOf = (kind: ReviewKind): [string, string] =>
  kind === 'race' ? ['list of runners', 'lists of runners'] : ['game', 'games'];

export const unitsOf = (kind: ReviewKind, value: number): string => many(value, ...unitOf(kind));

export const isMetName = (name: MetName | ProposedName): name is MetName => 'name_a' in name;

/** `england/arsenal` of names:epl:england/arsenal. */
export const participantOf = (subject: string): string => subject.split(':').slice(2).join(':');

/** `14 games on both venues, 27 of 28 names agree` */
export function evidenceText(
  found: Pick<QueueEntry, 'kind' | 'subject' | 'pairs' | 'names' | 'names_agreeing'>,
): string {
  const { kind, pairs, names, names_agreeing: agreeing } = found;
  if (kind === 'names') return `Names of ${participantOf(found.subject)}`;
  if (pairs === 0) return `No ${unitOf(kind)[0]} of it is a candidate now`;
  const agree = kind === 'league' ? `, ${count(agreeing)} of ${many(names, 'name')} agree` : '';
  return `${unitsOf(kind, pairs)} on both venues${agree}`;
}

/** The sentence of the queue for an entry. Each met name is one name on each venue. */
export function entryText({ kind, subject, pairs, names }: Entry): string {
  const met = names.filter(isMetName);
  const agreeing = met.filter(({ state }) => state === 'agrees');
  return evidenceText({
    kind,
    subject,
    pairs: pairs.length,
    names: met.length * 2,
    names_agreeing: agreeing.length * 2,
  });
}

/** The name of a subject: of the league, the race or the participant. Untrusted text. */
export function titleOf({ kind, subject, definition, pairs }: Entry): string {
  if (kind === 'names') return participantOf(subject);
  return definition?.name ?? pairs[0]?.title ?? subject;
}

export const publishable = (pairs: readonly ReviewPair[]): ReviewPair[] =>
  pairs.filter(({ blocked_by }) => blocked_by === null);

/** `12 games will be published in the next pass, 2 stay candidates.` */
export function outcomeText({ kind, pairs, names }: Entry): string {
  if (kind === 'names') {
    const proposed = names.filter(({ state }) => state !== 'confirmed').length;
    return `${many(proposed, 'name')} will count in the next pass. The listings that hold ${proposed === 1 ? 'it' : 'one of them'} are read again.`;
  }
  const published = publishable(pairs).length;
  const left = pairs.length - published;
  const stay = left === 0 ? '' : `, ${count(left)} ${left === 1 ? 'stays a candidate' : 'stay candidates'}`;
  return `${unitsOf(kind, published)} will be published in the next pass${stay}.`;
}

/** How decisions about similar subjects turned out. */
export function recordText(entry: Entry): string {
  const { confirmed, refused, taken_back, published, settled, rules_agreeing, rules_diverging } = entry.record;
  const others = similarTo(entry);
  const decided = confirmed + refused + taken_back;
  if (decided === 0) return `No other ${others[0]} was decided yet.`;
  const decisions = `Of ${many(decided, `other ${others[0]}`, `other ${others[1]}`)}, ${count(confirmed)} ${wasOrWere(confirmed)} confirmed, ${count(refused)} refused and ${count(taken_back)} taken back.`;
  if (entry.kind === 'names' || confirmed === 0) return decisions;
  const parity =
    rules_agreeing + rules_diverging === 0
      ? 'No occasion of their resolution rules has settled yet.'
      : `Under their resolution rules ${many(rules_agreeing, 'occasion')} agreed and ${count(rules_diverging)} diverged.`;
  return `${decisions} ${unitsOf(entry.kind, published)} of the confirmed ones ${wasOrWere(published)} published, ${count(settled)} settled. ${parity}`;
}

const wasOrWere = (value: number): string => (value === 1 ? 'was' : 'were');

function similarTo({ kind, definition }: Entry): [string, string] {
  if (kind === 'race') return ['list of runners', 'lists of runners'];
  if (kind === 'names') return ['participant', 'participants'];
  const sport = definition?.sport ? ` of ${definition.sport}` : '';
  return [`league${sport}`, `leagues${sport}`];
}

/** `2026-11-29 19:45 UTC`, or a sentence. */
export function startText(at: string | null): string {
  const time = Date.parse(at ?? '');
  return Number.isNaN(time)
    ? 'No start is stated'
    : `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
