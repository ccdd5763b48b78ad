import type { Entry, QueueEntry, ReviewPair, ReviewState } from '../../../dashboard/src/review/review.ts';
import { defaultAnswers, type StubApi } from './stub_api.ts';

// The results of the RPCs of the page Review, as sql/89_api_reviews.sql returns them.

export const BESTA = 'league:KXBESTADEILDGAME:bdk';
export const HOSTILE = 'league:KXHOSTILEGAME:hst';
export const RACE = 'race:KXHEADMASTER-26:headmaster-election';
export const NAMES = 'names:epl:england/arsenal';

/** Markup, characters that reorder text, and 10,000 characters without a space. */
export const hostileName = `<img src=x onerror="window.pwned = 1">\u202egnitteb\u2066 ${'W'.repeat(10_000)}`;

const teams: [string, string][] = [
  ['Breiðablik', 'Breidablik'],
  ['FH Hafnarfjörður', 'FH Hafnarfjordur'],
  ['Fram Reykjavík', 'Fram'],
  ['ÍA Akranes', 'IA Akranes'],
  ['KA Akureyri', 'KA'],
  ['Keflavík', 'Keflavik'],
  ['Stjarnan', 'Stjarnan'],
  ['Þór Akureyri', 'Thor Akureyri'],
  ['Valur', 'Valur'],
  ['Víkingur Reykjavík', 'Vikingur'],
  ['Vestri', 'Vestri'],
  ['KR Reykjavík', 'KR'],
  ['Afturelding', 'Afturelding'],
  ['ÍBV', 'IBV'],
];
const similarityOf = (one: string, other: string) => (one === other ? 1 : 0.86);

function gameOf(number: number): ReviewPair {
  const met = [teams[number % teams.length], teams[(number + 3) % teams.length]] as [string, string][];
  const [home = '', away = ''] = met.map(([name]) => name);
  const day = String((number % 28) + 1).padStart(2, '0');
  return {
    id: `mkt_00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    title: `${home} vs ${away}`,
    start_at: `2026-12-${day}T19:45:00.000Z`,
    venue_a: {
      event: `KXBESTADEILDGAME-26DEC${day}G${number}`,
      title: `${home} vs ${away}`,
      url: `https://kalshi.com/markets/kxbestadeildgame/g${number}`,
    },
    venue_b: {
      event: `bdk-g${number}-2026-12-${day}`,
      title: met.map(([, name]) => name).join(' vs '),
      url: `https://polymarket.com/event/bdk-g${number}`,
    },
    names: met.map(([venue_a, venue_b]) => ({
      key: venue_a.toLowerCase(),
      venue_a,
      venue_b,
      similarity: similarityOf(venue_a, venue_b),
    })),
    entity: 0.88,
    resolution: 0.97,
    blocked_by: number === 3 ? 'contradictory_names' : number === 5 ? 'resolution' : null,
  };
}

const noRecord = {
  confirmed: 0,
  refused: 0,
  taken_back: 0,
  published: 0,
  settled: 0,
  rules_agreeing: 0,
  rules_diverging: 0,
};

export function bestaDeild(change: Partial<Entry> = {}): Entry {
  return {
    subject: BESTA,
    kind: 'league',
    state: 'open',
    digest: 'first',
    definition: { id: 'besta-deild', name: 'Besta deild', sport: 'soccer', ways: 3 },
    problem: null,
    names: teams.map(([name_a, name_b], number) => ({
      key_a: name_a.toLowerCase(),
      key_b: name_b.toLowerCase(),
      name_a,
      name_b,
      games: 2 + (number % 2),
      similarity: similarityOf(name_a, name_b),
      state: number === 3 ? 'contradictory' : 'agrees',
    })),
    pairs: Array.from({ length: 14 }, (_, number) => gameOf(number)),
    published: null,
    record: {
      confirmed: 3,
      refused: 1,
      taken_back: 1,
      published: 41,
      settled: 12,
      rules_agreeing: 512,
      rules_diverging: 0,
    },
    decisions: [
      { decision: 'postpone', by: 'grace@example.com', at: '2026-11-20T08:00:00.000Z', note: 'Wait for round two.' },
    ],
    sports: ['baseball', 'basketball', 'ice_hockey', 'soccer'],
    sentences: {
      contradictory_names: 'One of its names met two names of the other venue.',
      resolution: 'The texts of the venues may settle it differently.',
    },
    ...change,
  };
}

export function hostileEntry(): Entry {
  const listing = { event: hostileName, title: hostileName, url: 'javascript:alert(1)' };
  const base = bestaDeild();
  return {
    ...base,
    subject: HOSTILE,
    definition: { id: 'x', name: hostileName, ways: 3 },
    problem: 'league.sport_missing',
    sentences: { ...base.sentences, 'league.sport_missing': 'No listing names the sport. Choose it.' },
    names: base.names.slice(0, 3).map((name) => ({ ...name, name_a: hostileName, name_b: hostileName })),
    pairs: base.pairs.slice(0, 2).map((pair) => ({
      ...pair,
      title: hostileName,
      venue_a: listing,
      venue_b: listing,
      names: pair.names.map((name) => ({ ...name, venue_a: hostileName, venue_b: `${hostileName}2` })),
    })),
    decisions: [
      { decision: 'postpone', by: hostileName, at: '2026-11-20T08:00:00.000Z', note: hostileName.slice(0, 2000) },
    ],
  };
}

const race: Entry = {
  ...bestaDeild(),
  subject: RACE,
  kind: 'race',
  digest: 'race',
  definition: null,
  names: [],
  pairs: [{ ...gameOf(1), title: 'Who will be the next headmaster?', start_at: null }],
  record: noRecord,
  decisions: [],
};

const names: Entry = {
  ...race,
  subject: NAMES,
  kind: 'names',
  digest: 'names',
  names: [
    { alias_id: 1, name: 'Highbury Eleven', source: 'agreement', state: 'proposed', code: null },
    { alias_id: 2, name: 'The Gunners', source: 'venue_b_teams', state: 'proposed', code: 'alias.merges_participants' },
  ],
  pairs: [],
  sentences: { 'alias.merges_participants': 'The name already means another participant of the league.' },
};

const queued = (entry: Entry, group: string): QueueEntry => ({
  subject: entry.subject,
  kind: entry.kind,
  state: entry.state,
  group,
  pairs: entry.pairs.length,
  names: entry.kind === 'league' ? entry.names.length * 2 : 0,
  names_agreeing: entry.kind === 'league' ? entry.names.filter(({ state }) => state === 'agrees').length * 2 : 0,
});

/** The answers for an operator: four open entries, and one confirmed. */
export function reviewAnswers(): StubApi['answers'] {
  const open = [
    queued(bestaDeild(), 'Besta deild'),
    queued(names, 'epl'),
    queued(race, 'Headmasters'),
    queued(hostileEntry(), hostileName),
  ];
  const confirmed: QueueEntry[] = [
    {
      ...queued(bestaDeild({ pairs: [] }), 'Veikkausliiga'),
      subject: 'league:KXVEIKKAUSGAME:vkk',
      state: 'confirmed',
      decided_by: 'ada@example.com',
      decided_at: '2026-11-25T12:00:00.000Z',
    },
  ];
  const lists: { [State in ReviewState]?: QueueEntry[] } = { open, confirmed };
  const entries = new Map([bestaDeild(), hostileEntry(), race, names].map((entry) => [entry.subject, entry]));
  const organizations = defaultAnswers().my_organizations as { [name: string]: never }[];
  return {
    ...defaultAnswers(),
    my_organizations: organizations.map((one, at) => ({ ...one, is_operator: (at === 0) as never })),
    list_reviews: ({ p_state }) =>
      ({
        counts: { open: open.length, confirmed: confirmed.length },
        entries: lists[p_state as ReviewState] ?? [],
      }) as never,
    read_review: ({ p_subject }) => (entries.get(String(p_subject)) ?? null) as never,
    decide_review: ({ p_decision }) => ({
      state: p_decision === 'confirm' ? 'confirmed' : 'open',
      candidates_again: 12,
    }),
  };
}

/** The address of an entry. */
export const addressOf = (subject: string): string => `/review?subject=${encodeURIComponent(subject)}`;
