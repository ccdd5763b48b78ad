import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AliasOverlay } from '../../functions/ingest/alias_overlay.ts';
import { connect, IngestQueries } from '../../functions/ingest/database.ts';
import { applyAliases } from '../../functions/ingest/identity/names/registry.ts';
import { parsers } from '../../functions/ingest/parsers.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { runMatchPass } from './listings.ts';
import { type ListingA, type ListingB, pairListings, winnerA, winnerB } from './sports_listings.ts';

/**
 * Guarantee: an unknown name of a known league is proposed as an alias with its source, decided
 * once for all names of a participant, and read by the parsers. A name that would merge two
 * participants is refused.
 */

const NOW = '2026-08-01T12:00:00Z';
const DAY = '2026-08-09';
const TARGET = '67468ecc-b868-43a4-b9dc-751a52894bb0';
let database: TestDatabase;
let queries: IngestQueries;
beforeEach(async () => {
  await queries?.end();
  await database?.close();
  applyAliases(0, []);
  database = await createDatabase();
  queries = new IngestQueries(connect(database.url('parallax_ingest'), () => {}));
  await database.sql`insert into clock.segments (real_from, market_from, rate) values ('2020-01-01', ${NOW}, 0)`;
});
afterAll(async () => {
  applyAliases(0, []);
  await queries?.end();
  await database?.close();
});

const gameA = (codes: string, away: string, home: string, start = `${DAY}T19:15:00Z`): ListingA =>
  winnerA(
    'KXNBAGAME',
    DAY,
    codes,
    `${away} at ${home}`,
    [`${codes.slice(0, 3)} ${away}`, `${codes.slice(3)} ${home}`],
    {
      start,
    },
  );
const gameB = (slug: string, names: [string, string], start = `${DAY}T19:15:00Z`): ListingB => ({
  ...winnerB(slug, names),
  startTime: start,
});
const match = (a: ListingA[], b: ListingB[]) => pairListings(database, NOW, a, b);
const proposals = async () => [
  ...(await database.sql`
      select a.name, a.participant, a.source, a.state from catalog.aliases a where a.source <> 'registry' order by a.name`),
];
const pairs = () => database.sql<{ stage: string; is_unconfirmed: boolean }[]>`
  select p.stage, j.signals @> '[{"signal": "unconfirmed_name"}]' as is_unconfirmed
  from catalog.pairs p
  join catalog.assessments j using (assessment_id)
  where p.withdrawn_at is null`;
async function decide(subject: string, decision: string): Promise<string | null> {
  const [row] = await database.sql<{ code: string | null }[]>`
    select pipeline.decide_review(${subject}, ${decision}, catalog.review_entry(${subject}) ->> 'digest', 'a test')
             ->> 'code' as code`;
  return row?.code ?? null;
}
/** What the next sweep does: gives the decided names to the parsers. */
const readNames = () => new AliasOverlay({ queries, parsers: async () => parsers, log: () => {} }).refresh();

const SONICS = 'names:nba:confirmed_nba/seattle-sonics';
const promotedA = gameA('NYKSEA', 'New York', 'Seattle Sonics');
const promotedB = gameB(`nba-nyk-sea-${DAY}`, ['Knicks', 'Sonics']);

describe('a participant that the registry does not hold', () => {
  it('is proposed by both of its names, decided after one confirmation, and taken back at once', async () => {
    await match([promotedA], [promotedB]);
    const names = [
      { name: 'Seattle Sonics', participant: 'confirmed_nba/seattle-sonics', source: 'agreement', state: 'proposed' },
      { name: 'Sonics', participant: 'confirmed_nba/seattle-sonics', source: 'agreement', state: 'proposed' },
    ];
    expect(await proposals()).toEqual(names);
    expect([...(await pairs())]).toEqual([{ stage: 'candidate', is_unconfirmed: true }]);
    const [titles] = await database.sql`
      select e.entry #>> '{pairs,0,venue_a,title}' as a, e.entry #>> '{pairs,0,venue_b,title}' as b
      from catalog.review_entry(${SONICS}) as e (entry)`;
    expect(titles).toEqual({ a: 'New York at Seattle Sonics', b: 'Knicks vs. Sonics' });

    expect(await decide(SONICS, 'confirm')).toBe(null);
    await readNames();
    await match([promotedA], [promotedB]);
    expect([...(await pairs())]).toMatchObject([{ is_unconfirmed: false }]);
    // These listings have no rules text, without which no pair is published.
    await database.sql`update catalog.pairs set stage = 'catalog', band = 'HIGH' where withdrawn_at is null`;

    expect(await decide(SONICS, 'withdraw')).toBe(null);
    expect([...(await pairs())]).toMatchObject([{ stage: 'candidate' }]);
    await readNames();
    await match([promotedA], [promotedB]);
    expect([...(await pairs())]).toEqual([{ stage: 'candidate', is_unconfirmed: true }]);
    expect(await proposals()).toEqual(names.map((one) => ({ ...one, state: 'withdrawn' })));
  });

  it('is not proposed again after it was refused', async () => {
    await match([promotedA], [promotedB]);
    expect(await decide(SONICS, 'refuse')).toBe(null);
    await match([promotedA, gameA('BOSDAL', 'Boston', 'Dallas')], [promotedB]);
    expect((await proposals()).map(({ state }) => state)).toEqual(['refused', 'refused']);
    expect(await decide(SONICS, 'refuse')).toBe('review.wrong_state');
  });
});

describe('a new spelling of a registered participant', () => {
  it('is proposed from a game that the other venue prints with the registered name', async () => {
    await match(
      [gameA('BOSLAL', 'Boston', 'Lakers of Los Angeles')],
      [gameB(`nba-bos-lal-${DAY}`, ['Celtics', 'Lakers'])],
    );
    expect(await proposals()).toEqual([
      { name: 'Lakers of Los Angeles', participant: 'nba/los-angeles-lakers', source: 'agreement', state: 'proposed' },
    ]);
  });

  it('is proposed from the structured target of its market', async () => {
    const known = gameA('BOSLAL', 'Boston', 'Los Angeles L');
    const unknown = gameA('DALLAL', 'Dallas', 'The Purple and Gold', `${DAY}T22:00:00Z`);
    await match([known, unknown], []);
    await database.sql`
      update venue.markets set payload = jsonb_build_object('custom_strike', jsonb_build_object('basketball_team', ${TARGET}::text))
      where market_id like '%-LAL'`;
    await runMatchPass(database.sql);
    expect(await proposals()).toEqual([
      {
        name: 'The Purple and Gold',
        participant: 'nba/los-angeles-lakers',
        source: 'venue_a_targets',
        state: 'proposed',
      },
    ]);
  });

  it('is proposed from the team of the page of venue_b', async () => {
    await match([], [gameB(`nba-bos-xxx-${DAY}`, ['Celtics', 'Purple Gold'])]);
    const teams = [
      { name: 'Boston Celtics', alias: 'Celtics' },
      { name: 'Los Angeles Lakers', alias: 'Purple Gold' },
    ];
    await database.sql`update venue.events set payload = ${database.sql.json({ teams })}`;
    await runMatchPass(database.sql);
    expect(await proposals()).toEqual([
      { name: 'Purple Gold', participant: 'nba/los-angeles-lakers', source: 'venue_b_teams', state: 'proposed' },
    ]);
  });
});

it('a name that would merge two participants is refused, and no other name of the entry changes', async () => {
  await match([promotedA], [promotedB]);
  await database.sql`
    insert into catalog.aliases (league, name, normalized, participant, source, state, proposed_at, decided_at)
    values ('nba', 'Sonics', 'sonics', 'confirmed_nba/other-club', 'review', 'confirmed', now(), now())`;
  const [entry] = await database.sql`select catalog.review_entry(${SONICS}) -> 'names' as names`;
  expect(entry?.names.map(({ code }: { code: string | null }) => code)).toEqual([null, 'alias.merges_participants']);
  expect(await decide(SONICS, 'confirm')).toBe('alias.merges_participants');
  expect((await proposals()).filter(({ participant }) => participant === 'confirmed_nba/seattle-sonics')).toEqual([
    expect.objectContaining({ name: 'Seattle Sonics', state: 'proposed' }),
    expect.objectContaining({ name: 'Sonics', state: 'proposed' }),
  ]);
  const [kept] = await database.sql`select count(*)::integer as decisions from catalog.review_decisions`;
  expect(kept?.decisions).toBe(0);
});

it('hostile names are not proposed, and the pass goes on', async () => {
  const hostile = ['<b>Sonics</b>', 'Sonics\u202e', 'Sоnics', 'x'.repeat(10_000)];
  for (const name of hostile) {
    await match([gameA('NYKSEA', 'New York', name)], [gameB(`nba-nyk-sea-${DAY}`, ['Knicks', name])]);
  }
  expect(await proposals()).toEqual([]);
});
