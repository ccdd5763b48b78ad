import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { League } from '../../functions/ingest/identity/names/registry.ts';
import { COMPETITIONS, registeredByName } from '../../functions/ingest/identity/names/registry.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: the database refuses an alias that would join two participants of a league or that is
 * hostile, with a code and without an error, and every change has a higher version.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.sql`delete from catalog.aliases where source <> 'registry'`;
});

type Row = { league: unknown; name: unknown; normalized: unknown; participant: unknown; source: unknown };
const row = (name: string, normalized: string, participant = 'england/arsenal', league = 'epl'): Row => ({
  league,
  name,
  normalized,
  participant,
  source: 'agreement',
});
const propose = (rows: unknown) =>
  db.sql<{ row_no: number; alias_id: string | null; state: string | null; code: string | null }[]>`
    select * from catalog.propose_aliases(${db.sql.json(rows as never)})`;
async function proposed(one: Row): Promise<string> {
  const [answer] = await propose([one]);
  if (answer?.alias_id == null) throw new Error(`refused: ${answer?.code}`);
  return answer.alias_id;
}
type Decision = { state: string; version: number; code: string | null };
async function decide(id: string, decision: string, by = 'a test'): Promise<Decision> {
  const [answer] = await db.sql<{ answer: Decision }[]>`
    select catalog.decide_alias(${id}::bigint, ${decision}, ${by}) as answer`;
  return answer?.answer as Decision;
}
const changes = (since: number) =>
  db.sql<{ version: string; name: string; state: string }[]>`
    select c.version, c.name, c.state from catalog.alias_changes(${since}::bigint) c`;

describe('the registry in the database', () => {
  it('holds every name under which the parsers find a team, and the same ambiguity', async () => {
    const rows = await db.sql<{ normalized: string; league: string; teams: string[] }[]>`
      select a.normalized, l.league, array_agg(a.participant order by a.participant) as teams
      from catalog.registered_leagues l
      join catalog.aliases a on a.source = 'registry' and a.pool = any (l.pools)
      where l.league in ('epl', 'mlb', 'nba')
      group by 1, 2`;
    const wrong = rows.filter(({ normalized, league, teams }) => {
      const known = [...registeredByName(COMPETITIONS.get(league) as League, normalized)];
      return known.length === 0 || known.some((team) => !teams.includes(team));
    });
    expect(wrong).toEqual([]);
    const chicago = rows.filter(({ league, normalized }) => league === 'mlb' && normalized === 'chicago');
    expect(chicago[0]?.teams).toHaveLength(2);
  });

  it('is loaded once: a second load changes no row', async () => {
    const [loaded] = await db.sql`select catalog.load_registry() as changed`;
    expect(loaded).toEqual({ changed: 0 });
  });

  it('keeps the rows of the registry out of decisions and of the changes', async () => {
    const [one] = await db.sql<{ alias_id: string }[]>`
      select alias_id from catalog.aliases where source = 'registry' limit 1`;
    expect(await decide(one?.alias_id ?? '', 'withdrawn')).toMatchObject({ code: 'alias.registered' });
    expect([...(await changes(0))]).toEqual([]);
  });
});

describe('propose_aliases', () => {
  it('is idempotent, also for a refused alias', async () => {
    const id = await proposed(row('Highbury Eleven', 'highbury eleven'));
    expect((await decide(id, 'refused')).state).toBe('refused');
    const [again] = await propose([row('HIGHBURY Eleven', 'highbury eleven')]);
    expect(again).toEqual({ row_no: 1, alias_id: id, state: 'refused', code: null });
  });

  it.each([
    ['a mark of direction', 'Arsenal \u202eFC'],
    ['an isolate of direction', 'Ars\u2066enal'],
    ['a character without width', 'Ars\u200benal'],
    ['a byte order mark', '\ufeffArsenal'],
    ['a soft hyphen', 'Arse\u00adnal'],
    ['a control character', 'Arsenal\u0007'],
    ['a line break', 'Arsenal\nChelsea'],
    ['a tag character', 'Arsenal\u{e0041}'],
    ['a Cyrillic letter in a Latin word', 'Arsen\u0430l Reds'],
    ['a Greek letter in a Latin word', '\u0391rsenal'],
    ['a full-width letter in a Latin word', '\uff21rsenal'],
    ['a mathematical letter in a Latin word', 'Arsena\u{1d425}'],
    ['markup', '<b>Gunners</b>'],
    ['more than 200 characters', 'a'.repeat(201)],
  ])('refuses a name with %s as hostile', async (_, name) => {
    const [answer] = await propose([row(name, 'highbury eleven')]);
    expect(answer).toEqual({ row_no: 1, alias_id: null, state: null, code: 'alias.hostile_name' });
  });

  it.each([
    ['whose letters the parsers drop', row('Арсенал FC', 'fc'), 'alias.not_latin'],
    ['of digits only', row('04', '04'), 'alias.invalid'],
    ['with an unnormalized form', row('Highbury', 'Highbury'), 'alias.invalid'],
    ['without a participant', { ...row('Highbury', 'highbury'), participant: undefined }, 'alias.invalid'],
    ['with a name that is no text', { ...row('Highbury', 'highbury'), name: { a: 1 } }, 'alias.invalid'],
    ['of the registry itself', { ...row('Highbury', 'highbury'), source: 'registry' }, 'alias.invalid'],
    ['that is a placeholder', row('Team A', 'team a'), 'alias.placeholder'],
    ['that is an outcome', row('Draw', 'draw'), 'alias.placeholder'],
    ['of a team of another pool', row('Highbury', 'highbury', 'spain/barcelona'), 'alias.other_league'],
    ['that is registered already', row('Arsenal', 'arsenal'), 'alias.registered'],
    ['of another club', row('Chelsea', 'chelsea'), 'alias.merges_participants'],
    [
      'of a club without its affixes',
      row('Union Berlin', 'union berlin', 'germany/bayern', 'bundesliga'),
      'alias.merges_participants',
    ],
    ['that two teams share', row('Chicago', 'chicago', 'mlb/cubs', 'mlb'), 'alias.merges_participants'],
  ])('refuses a row %s, and accepts the next one', async (_, bad, code) => {
    const answers = await propose([bad, row('Highbury Eleven', 'highbury eleven')]);
    expect(answers.map((one) => one.code)).toEqual([code, null]);
  });

  it.each(['München 1860', 'D.C. United', 'Bodø/Glimt', 'Al-Ittihad (KSA)', 'Hawai‘i Warriors', 'Đà Nẵng'])(
    'accepts the printed name %s',
    async (name) => {
      expect(await propose([row(name, 'highbury eleven')])).toMatchObject([{ code: null, state: 'proposed' }]);
    },
  );

  it.each([[{}], ['text'], [null]])('answers %j, which is no list, with a code', async (rows) => {
    expect(await propose(rows)).toMatchObject([{ row_no: 0, code: 'alias.invalid' }]);
  });

  it('reads 1,000 rows and answers with a code for the others', async () => {
    const rows = Array.from({ length: 1002 }, (_, at) => row(`Highbury ${at}`, `highbury ${at}`));
    const answers = await propose(rows);
    expect(answers.filter((one) => one.state === 'proposed')).toHaveLength(1000);
    expect(answers.at(-1)).toMatchObject({ row_no: 1001, code: 'alias.too_many' });
  });
});

describe('decide_alias', () => {
  it('confirms one participant for a name in a league, and another one after its withdrawal', async () => {
    const first = await proposed(row('Highbury Eleven', 'highbury eleven'));
    const second = await proposed(row('Highbury Eleven', 'highbury eleven', 'england/chelsea'));
    const otherLeague = await proposed(row('Highbury Eleven', 'highbury eleven', 'england/chelsea', 'fa-cup'));
    expect((await decide(first, 'confirmed')).code).toBeNull();
    expect(await decide(second, 'confirmed')).toMatchObject({ state: 'proposed', code: 'alias.merges_participants' });
    expect((await decide(otherLeague, 'confirmed')).code).toBeNull();
    const [late] = await propose([row('Highbury Eleven', 'highbury eleven', 'england/everton')]);
    expect(late?.code).toBe('alias.merges_participants');
    expect((await decide(first, 'withdrawn')).state).toBe('withdrawn');
    expect((await decide(second, 'confirmed')).state).toBe('confirmed');
  });

  it('is also kept to one participant by an index, for every writer', async () => {
    const insert = (participant: string) => db.sql`
      insert into catalog.aliases (league, name, normalized, participant, source, state, proposed_at, decided_at)
      values ('epl', 'X Y', 'x y', ${participant}, 'review', 'confirmed', now(), now())`;
    await insert('england/arsenal');
    await expect(insert('england/chelsea')).rejects.toThrow('aliases_one_participant');
  });

  it('raises the version with each change only, and lists the changes after a version', async () => {
    const id = await proposed(row('Highbury Eleven', 'highbury eleven'));
    expect([...(await changes(0))]).toEqual([]);
    const confirmed = await decide(id, 'confirmed');
    expect(await changes(0)).toMatchObject([{ name: 'Highbury Eleven', state: 'confirmed' }]);
    expect((await decide(id, 'confirmed')).version).toBe(confirmed.version);
    expect([...(await changes(confirmed.version))]).toEqual([]);
    const withdrawn = await decide(id, 'withdrawn');
    expect(withdrawn.version).toBeGreaterThan(confirmed.version);
    expect(await changes(confirmed.version)).toMatchObject([{ state: 'withdrawn' }]);
  });

  it.each([
    ['an unknown decision', 'maybe', 'a test', 'alias.invalid'],
    ['a decision without a name', 'confirmed', '', 'alias.invalid'],
    ['the withdrawal of a proposal', 'withdrawn', 'a test', 'alias.wrong_state'],
  ])('refuses %s with a code', async (_, decision, by, code) => {
    const id = await proposed(row('Highbury Eleven', 'highbury eleven'));
    expect(await decide(id, decision, by)).toMatchObject({ state: 'proposed', code });
  });

  it('answers an unknown alias with a code', async () => {
    expect(await decide('-1', 'confirmed')).toMatchObject({ code: 'alias.not_found' });
  });
});
