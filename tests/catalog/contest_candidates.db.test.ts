import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchListings } from '../../local/match/match.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: elections, awards, charts and words of recorded listings are candidates where both
 * venues ask the same, and none of them is published. The risks name both venues' rules, and say so
 * where a text is silent.
 */

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
});
afterAll(() => database.close());

type Risk = { event: string; severity: string; note: string };
async function risksOf(a: Record<string, string>, b: Record<string, string>): Promise<{ [event: string]: Risk }> {
  const facts = { family: 'outright', a: { contest: a }, b: { contest: b } };
  const rows = await database.sql<Risk[]>`select * from catalog.contest_risks(${database.sql.json(facts)})`;
  return Object.fromEntries(rows.map((row) => [row.event, row]));
}

describe('the risks of a contest', () => {
  it('name who decides an election on both venues, and differ in severity when one is silent', async () => {
    const differs = await risksOf(
      { kind: 'election', decided_by: 'in_office' },
      { kind: 'election', decided_by: 'called+certified' },
    );
    expect(differs.election_call).toMatchObject({
      severity: 'high',
      note: 'Who decides the election: venue_a goes by who takes office; venue_b goes by the call of the media, then the official or certified result: where that changes which outcome pays, a $1 pair returns $0 or $2.',
    });
    const silent = await risksOf({ kind: 'election' }, { kind: 'election', decided_by: 'called' });
    expect(silent.election_call).toMatchObject({
      severity: 'medium',
      note: expect.stringContaining('venue_a does not say'),
    });
    expect(silent.election_runoff?.note).toContain('venue_a does not say; venue_b does not say');
  });

  it('are none where both texts state the same terms', async () => {
    const terms = { kind: 'election', decided_by: 'called', runoff: 'included', recount: 'named' };
    const risks = await risksOf(terms, terms);
    expect(risks.election_call ?? risks.election_runoff ?? risks.election_recount).toBeUndefined();
  });

  it('are critical for a special against a regular election, and high where one text is silent', async () => {
    const special = { kind: 'election', special: 'special' };
    expect((await risksOf(special, { kind: 'election', special: 'regular' })).special_election?.severity).toBe(
      'critical',
    );
    expect((await risksOf(special, { kind: 'election' })).special_election?.severity).toBe('high');
    expect((await risksOf({ kind: 'election', special: 'regular' }, { kind: 'election' })).special_election).toBe(
      undefined,
    );
  });

  it('are high for words while a text does not state which forms count', async () => {
    const risks = await risksOf({ kind: 'mention' }, { kind: 'mention', forms: 'plural_and_possessive' });
    expect(risks.word_forms).toMatchObject({
      severity: 'high',
      note: expect.stringContaining('venue_a does not say; venue_b counts plural and possessive forms'),
    });
  });

  it('are none where the texts are about no contest', async () => {
    const [row] = await database.sql<{ count: number }[]>`
      select count(*)::integer as count
      from catalog.contest_risks('{"family": "outright", "a": {"rules": "read"}, "b": {"rules": "read"}}')`;
    expect(row?.count).toBe(0);
  });
});

describe('two lists of runners', () => {
  const agree = async (a: Record<string, unknown>, b: Record<string, unknown>) => {
    const of = (one: Record<string, unknown>) =>
      database.sql.json({ numbers: [], title: [], exact: true, ...one } as never);
    const [row] = await database.sql<{ agree: boolean }[]>`select catalog.races_agree(${of(a)}, ${of(b)}) as agree`;
    return row?.agree;
  };
  const senate = { contest: 'election|senate|ohio|general', title: ['ohio', 'winner'] };

  it('with the same names agree on one contest alone, and never where one title is unknown', async () => {
    expect(await agree(senate, senate)).toBe(true);
    expect(await agree(senate, { ...senate, contest: 'election|senate|ohio|special' })).toBe(false);
    expect(await agree(senate, { ...senate, contest: null, exact: false })).toBe(false);
  });

  it('need for spoken words the same event too', async () => {
    const at = (...title: string[]) => ({ contest: 'mention|jd vance|say||event', exact: false, title });
    expect(await agree(at('press', 'briefing'), at('press', 'briefing'))).toBe(true);
    expect(await agree(at('remarks', 'maine'), at('remarks', 'bangor'))).toBe(false);
  });
});

type Event = { event_ticker?: string; slug?: string; category?: string; title?: string };
type Fact = {
  label: string;
  grain: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
};
type Row = {
  refused?: true;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  stage: string;
  band: string;
  outcomes: { key: string }[];
  risks: { event: string }[];
};

const LABELS = '../shared/data/labels';
const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

/** Event labels of every world. One listing may be in several. */
function labelsOf(label: string): Set<string> {
  const facts = readdirSync(LABELS)
    .filter((world) => existsSync(`${LABELS}/${world}/truth.jsonl`))
    .flatMap((world) => readFileSync(`${LABELS}/${world}/truth.jsonl`, 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Fact);
  return new Set(
    facts
      .filter((fact) => fact.grain === 'event' && fact.label === label)
      .map((fact) => `${fact.venue_a.event_ticker} ${fact.venue_b.event_slug}`),
  );
}

describe.skipIf(!existsSync(LABELS))('the listings of May 2026 (skipped where ../shared is missing)', () => {
  let pairs: Row[] = [];
  let titles = new Map<string, string>();
  beforeAll(async () => {
    const world = (venue: string) => read<Event[]>(`${LABELS}/weather-2026-05-14/listings.venue_${venue}.json`);
    const a = world('a').filter((event) => event.category !== 'Climate and Weather');
    const b = world('b');
    titles = new Map([...a, ...b].map((event) => [event.event_ticker ?? event.slug ?? '', event.title ?? '']));
    const { rows } = await matchListings(database.sql, a, b, '2026-05-14T12:00:00Z');
    pairs = (rows as unknown as Row[]).filter((row) => !row.refused);
  });

  it('give some 300 candidates of elections, awards and charts, and publish none of them', () => {
    expect(pairs.length).toBeGreaterThan(300);
    expect(new Set(pairs.map((pair) => `${pair.stage} ${pair.band}`))).toEqual(new Set(['candidate REVIEW']));
    const tickers = pairs.map((pair) => pair.venue_a.event_ticker);
    expect(tickers).toEqual(
      expect.arrayContaining(['CONTROLS-2026', 'SENATEIA-26', 'KXTONYAWARDS-26BP', 'KXTOPALBUM-26MAY23']),
    );
  });

  it('pair no labelled pair of different events, and every labelled one with its own partner', () => {
    const found = pairs.map((pair) => `${pair.venue_a.event_ticker} ${pair.venue_b.event_slug}`);
    const different = labelsOf('different');
    expect(found.filter((pair) => different.has(pair))).toEqual([]);
    const partnerOf = new Map([...labelsOf('same')].map((pair) => pair.split(' ') as [string, string]));
    const wrong = pairs.filter(({ venue_a, venue_b }) => {
      const slug = partnerOf.get(venue_a.event_ticker);
      return slug !== undefined && titles.has(slug) && slug !== venue_b.event_slug;
    });
    expect(wrong).toEqual([]);
  });

  it('give each seat of the House its own partner and no other seat', () => {
    const seats = pairs.flatMap((pair) => {
      const seat = /^([A-Z]{2}-(?:\d{2}|AL)) House winner\?$/.exec(titles.get(pair.venue_a.event_ticker) ?? '')?.[1];
      return seat === undefined ? [] : [[seat, titles.get(pair.venue_b.event_slug)]];
    });
    expect(seats.length).toBeGreaterThan(200);
    for (const [seat, title] of seats) expect(title).toBe(`${seat} House Election Winner`);
  });

  it('carry the risk of who decides an election, also where a text is silent', () => {
    const senate = pairs.find((pair) => pair.venue_a.event_ticker === 'SENATEIA-26');
    expect(senate?.outcomes.map((outcome) => outcome.key).sort()).toEqual(['democratic-party', 'republican-party']);
    expect(senate?.risks.map((risk) => risk.event)).toEqual(
      expect.arrayContaining(['election_call', 'election_runoff', 'partition_gap', 'rules_unread']),
    );
  });
});
