import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AliasOverlay } from '../../functions/ingest/alias_overlay.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { applyLeagues } from '../../functions/ingest/identity/names/registry.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { type RunningVenues, startVenues } from '../venue_simulator/fixture.ts';
import { runMatchPass } from './listings.ts';
import { readSimulatedListings } from './simulated_listings.ts';

/**
 * Guarantee: a person confirms a league that no registry holds once, and its games are published in
 * the next pass. Taking the decision back makes them candidates at once. Nothing else changes.
 */

type Entry = {
  subject: string;
  state: string;
  digest: string;
  problem: string | null;
  ignored: string | null;
  definition: { id: string; name: string; sport: string; ways: number; teams: { name: string; names: string[] }[] };
  names: { name_a: string; name_b: string; state: string }[];
  pairs: { id: string; blocked_by: string | null; names: { venue_a: string; venue_b: string }[] }[];
  record: Record<string, number>;
};
type Answer = { code: string | null; state: string; candidates_again: number; decided_by?: string };

const LEAGUE = 'league:KXBESTADEILDGAME:bdk';
const LEAGUES_GAMES = 'bdk-';
let venues: RunningVenues;
let database: TestDatabase;
let queries: IngestQueries;
let listAgain: () => Promise<void>;

beforeAll(async () => {
  venues = await startVenues('--seed', '1', '--games', '40', '--traps', 'none');
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
  const overlay = new AliasOverlay({ queries, parsers: async () => parsers, log: () => {} });
  const read = await readSimulatedListings(venues, Date.now());
  listAgain = async () => {
    await overlay.refresh();
    await read(database.sql, {});
    await runMatchPass(database.sql);
  };
  await listAgain();
});
afterAll(async () => {
  applyLeagues(0, []);
  await queries?.end();
  await database?.close();
  venues?.end();
});

async function entryOf(subject = LEAGUE): Promise<Entry> {
  const [row] = await database.sql<{ entry: Entry | null }[]>`select catalog.review_entry(${subject}) as entry`;
  if (!row?.entry) throw new Error(`${subject} is not in the queue`);
  return row.entry;
}
/** Without a digest, the decision has the present one. Null: the caller states none. */
type Decision = { decision: string; digest?: string | null; by?: string; changes?: object; subject?: string };
async function decide({ decision, digest, by = 'a test', changes = {}, subject = LEAGUE }: Decision): Promise<Answer> {
  const seen = digest === undefined ? (await entryOf(subject)).digest : digest;
  const [row] = await database.sql<{ answer: Answer }[]>`
    select pipeline.decide_review(${subject}, ${decision}, ${seen}, ${by}, ${database.sql.json(changes as never)}) as answer`;
  return row?.answer as Answer;
}
const stages = async (isOfLeague = true) => {
  const rows = await database.sql<{ stage: string; pairs: number }[]>`
    select p.stage, count(*)::integer as pairs from catalog.pairs p
    where p.withdrawn_at is null and starts_with(p.event_b, ${LEAGUES_GAMES}) = ${isOfLeague}
    group by p.stage order by 1`;
  return Object.fromEntries(rows.map(({ stage, pairs }) => [stage, pairs]));
};

const lastChange = async () => {
  const [row] = await database.sql<{ no: string }[]>`select max(p.change_no) as no from catalog.pairs p`;
  return row?.no ?? '';
};
const bandsOf = async (stage: string) => {
  const rows = await database.sql<{ band: string }[]>`
    select distinct p.band from catalog.pairs p
    where starts_with(p.event_b, ${LEAGUES_GAMES}) and p.stage = ${stage} and p.withdrawn_at is null`;
  return rows.map(({ band }) => band);
};

it('a list of runners of an unknown contest is a subject of its own', async () => {
  const rows = await database.sql<{ subject: string }[]>`
    select s.subject from catalog.review_subjects() s where s.kind = 'race' and s.subject like '%CHESS%'`;
  expect(rows.map(({ subject }) => subject)).toEqual([
    expect.stringMatching(/^race:KXCHESSCANDIDATES-\d\d:chess-candidates-winner-\d{4}$/),
  ]);
  const entry = await entryOf(rows[0]?.subject ?? '');
  expect(entry.pairs[0]?.names).toHaveLength(8);
});

describe('a league that no registry holds', () => {
  it('is one entry of the queue, with both names of each team, its games and a league to confirm', async () => {
    const [queue] = await database.sql<{ entries: { subject: string; pairs: number; names_agreeing: number }[] }[]>`
      select catalog.review_queue() -> 'entries' as entries`;
    const listed = queue?.entries.find(({ subject }) => subject === LEAGUE);
    const entry = await entryOf();
    expect(listed).toMatchObject({ kind: 'league', state: 'open', pairs: entry.pairs.length });
    expect(listed?.names_agreeing).toBe(entry.names.length * 2);
    expect(await stages()).toEqual({ candidate: entry.pairs.length });
    expect(entry.pairs.length).toBeGreaterThan(8);
    expect(entry.pairs.every(({ blocked_by, names }) => blocked_by === null && names.length === 2)).toBe(true);
    expect(entry).toMatchObject({ problem: null, definition: { sport: 'soccer', ways: 3 } });
    const vikingur = entry.definition.teams.find(({ name }) => name === 'Víkingur Reykjavík');
    expect(vikingur?.names).toEqual(['Vikingur']);
  });

  it('is refused with a code when the decision is invalid, and nothing changes', async () => {
    const before = await database.sql`select count(*)::integer as decisions from catalog.review_decisions`;
    const refused = async (change: Partial<Decision>) => (await decide({ decision: 'confirm', ...change })).code;
    expect(await refused({ decision: 'perhaps' })).toBe('review.invalid');
    expect(await refused({ by: '' })).toBe('review.invalid');
    expect(await refused({ changes: { id: 'epl' } })).toBe('review.invalid');
    expect(await refused({ digest: 'of another entry' })).toBe('review.changed');
    expect(await refused({ digest: '' })).toBe('review.changed');
    expect(await refused({ digest: null }), 'without a digest').toBe('review.changed');
    expect(await refused({ decision: 'withdraw' })).toBe('review.wrong_state');
    expect(await refused({ changes: { sport: 'chess boxing' } })).toBe('league.unknown_sport');
    expect(await refused({ changes: { name: 'EPL' } })).toBe('league.registered');
    expect(await refused({ changes: { name: 'Bеsta deild' } }), 'a Cyrillic letter').toBe('league.invalid_name');
    expect(await refused({ changes: { name: '<b>Besta</b>' } })).toBe('league.invalid_name');
    expect(await refused({ changes: { name: 'Besta \u202edlied' } })).toBe('league.invalid_name');
    const [unknown] = await database.sql`
      select catalog.decide_review('league:KXNONE:none', 'confirm', '', 'a test') ->> 'code' as code`;
    expect(unknown?.code).toBe('review.not_found');
    expect([...(await database.sql`select count(*)::integer as decisions from catalog.review_decisions`)]).toEqual([
      ...before,
    ]);
  });

  it('is published in the next pass after one confirmation, and nothing else changes', async () => {
    const entry = await entryOf();
    const others = await stages(false);
    const answer = await decide({ decision: 'confirm', changes: { name: 'Besta deild' } });
    expect(answer).toMatchObject({ code: null, state: 'confirmed', decided_by: 'a test' });
    await listAgain();
    const published = await stages();
    expect(Object.keys(published)).toEqual(['catalog']);
    expect(published.catalog).toBeGreaterThanOrEqual(entry.pairs.length);
    expect(await stages(false)).toEqual(others);
    const [row] = await database.sql`
      select distinct p.competition, p.sport from catalog.pairs p where starts_with(p.event_b, 'bdk-') and p.stage = 'catalog'`;
    expect(row).toEqual({ competition: 'Besta deild', sport: 'soccer' });
  });

  it('refuses the second of two decisions about what both reviewers saw', async () => {
    const { digest } = await entryOf();
    const before = await lastChange();
    expect(await bandsOf('catalog')).not.toContain('REVIEW');
    const answers = await Promise.all([
      decide({ decision: 'withdraw', digest, by: 'one' }),
      decide({ decision: 'withdraw', digest, by: 'two' }),
    ]);
    expect(answers.map(({ code }) => code).sort()).toEqual(['review.changed', null].sort());
    const demoted = answers.find(({ code }) => code === null)?.candidates_again;
    expect(demoted).toBeGreaterThan(8);
    // A candidate never has the band of a certain pair. Readers of changes get each of them again.
    const [bands] = await database.sql`
      select count(*)::integer as pairs, array_agg(distinct p.band) as bands, min(p.change_no) > ${before} as renumbered
      from catalog.pairs p
      where starts_with(p.event_b, ${LEAGUES_GAMES}) and p.stage = 'candidate' and p.withdrawn_at is null`;
    expect(bands).toEqual({ pairs: demoted, bands: ['REVIEW'], renumbered: true });
  });

  it('is a candidate again at once, stays one in the next pass, and after its listings are read again', async () => {
    const { candidate } = await stages();
    expect(await stages()).toEqual({ candidate });
    expect((await entryOf()).problem).toBe('league.no_games');
    // The listings still name the league.
    await database.sql`update catalog.pairs set input_hash = '' where starts_with(event_b, 'bdk-')`;
    await runMatchPass(database.sql);
    expect(await stages()).toEqual({ candidate });
    await listAgain();
    expect(Object.keys(await stages())).toEqual(['candidate']);
    expect(await entryOf()).toMatchObject({ state: 'withdrawn', problem: null });
  });

  it('counts no game as published whose name is no name of a team of the league', async () => {
    const pairs = [
      { blocked_by: null, names: [{ key: 'valur' }, { key: 'fram' }] },
      { blocked_by: null, names: [{ key: 'valur' }, { key: 'arsenal-in-cyrillic' }] },
      { blocked_by: 'resolution', names: [{ key: 'arsenal-in-cyrillic' }] },
    ];
    const definition = { teams: [{ id: 'valur' }, { id: 'fram' }] };
    const blocked = async (of: object) => {
      const [row] = await database.sql<{ pairs: { blocked_by: string | null }[] }[]>`
        select catalog.block_unusable_names(${database.sql.json(pairs)}, ${database.sql.json(of as never)}) as pairs`;
      return row?.pairs.map(({ blocked_by }) => blocked_by);
    };
    expect(await blocked(definition)).toEqual([null, 'unusable_name', 'resolution']);
    expect(await blocked({ teams: [] })).toEqual(['unusable_name', 'unusable_name', 'resolution']);
  });

  it('keeps every decision with what the reviewer saw', async () => {
    const rows = await database.sql`
      select d.decision, d.decided_by, d.evidence -> 'digest' is not null as has_evidence
      from catalog.review_decisions d where d.subject = ${LEAGUE} order by d.decision_id`;
    expect(rows.map(({ decision }) => decision)).toEqual(['confirm', 'withdraw']);
    expect(rows.every(({ has_evidence }) => has_evidence)).toBe(true);
  });

  it('is proposed no more after it was refused, and again when it is confirmed', async () => {
    expect((await decide({ decision: 'refuse' })).code).toBe(null);
    await runMatchPass(database.sql);
    expect(await stages()).toEqual({});
    const [why] = await database.sql`
      select distinct r.code from catalog.rejections r where r.question_b like 'venue_b:bdk-%'`;
    expect(why?.code).toBe('refused_by_review');
    expect((await decide({ decision: 'postpone' })).code).toBe(null);
    await runMatchPass(database.sql);
    expect(Object.keys(await stages())).toEqual(['candidate']);
  });
});
