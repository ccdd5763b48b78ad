import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  as,
  joined,
  organization,
  type Person,
  person,
  Refused,
  registerEndpoint,
  rpc,
  start,
} from '../account/support/people.ts';
import { idOf, uuidOf } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { campaign } from './support/campaign.ts';
import { anyText, longText } from './support/texts.ts';

// Guarantee: whatever a signed-in person gives the functions of schema api, the doors behind every form of the dashboard, each answers or
// refuses in words for the page; and nothing of another organization moves.

type Door = { name: string; args: { name: string; type: string }[] };
let world: ApiFixture;
let doors: Door[];
/** What there is of somebody's, by the name of the parameter that takes it. */
type Ids = Record<string, string[]>;
let victim: { owner: Person; org: string; ids: Ids };
let before: unknown;

beforeAll(async () => {
  world = await createApiFixture();
  const { sql } = world.db;
  const rows = await sql<{ name: string; args: Door['args'] }[]>`
    select p.proname as name,
           coalesce(
             (select jsonb_agg(jsonb_build_object('name', p.proargnames[n], 'type', t::regtype::text) order by n)
              from unnest(p.proargtypes) with ordinality a(t, n)), '[]'
           ) as args
    from pg_proc p
    where p.pronamespace = 'api'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
    order by 1`;
  doors = [...rows];
  const { owner, org, ids } = await somebody();
  victim = { owner, org, ids };
  before = await ofTheVictim();
}, 60_000);
afterAll(() => world.close());

/** All that the victim has. */
async function ofTheVictim(): Promise<unknown> {
  const found: unknown[] = [];
  for (const table of ['organizations', 'members', 'keys', 'subscriptions', 'usage', 'invitations', 'audit'])
    found.push(
      await world.db.sql.unsafe(`select t::text from account.${table} t where org_id = '${victim.org}' order by 1`),
    );
  found.push(await world.db.sql`select e::text from webhook.endpoints e where org_id = ${victim.org}`);
  return found;
}

/** An owner with one of each thing that an organization can have. */
async function somebody(): Promise<{ owner: Person; org: string; ids: Ids }> {
  const { sql } = world.db;
  const { owner, org } = await organization(sql);
  await sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
  const given = (call: string) => rpc<Record<string, string>>(sql, owner, call);
  const { key_id = '' } = await given(`mint_key('${org}', 'a key')`);
  const { invitation_id = '' } = await given(`invite_member('${org}', 'member')`);
  const { id } = await registerEndpoint(sql, owner, org);
  const { delivery_id = '' } = await given(`test_webhook('${id}')`);
  const member = await joined(sql, owner, org, 'member');
  const ids = {
    p_org_id: [org],
    p_key: [key_id],
    p_user: [owner.id, member.id],
    p_invitation: [invitation_id],
    p_id: [id, delivery_id],
    p_before: [delivery_id],
  };
  return { owner, org, ids };
}

let caller: Awaited<ReturnType<typeof somebody>>;
let asked = 0;
/** Anew after a while, since a door may have taken all of it away. */
async function someone(): Promise<typeof caller> {
  if (asked++ % 15 === 0) caller = await somebody();
  return caller;
}

/** PostgREST hands texts to Postgres as JSON: no NUL, no halves of characters. */
const storable = fc.oneof(anyText, longText).map((text) => text.toWellFormed().replaceAll('\0', ''));
const word = fc.oneof(
  fc.constantFrom(
    'owner',
    'member',
    'failed',
    'delivered',
    'markets:all',
    'status',
    'quotes:all',
    'candidates:basketball',
  ),
  fc.constantFrom(
    idOf(1),
    uuidOf(2),
    idOf(999),
    'opp_00000000-0000-4000-8000-000000000000',
    'https://8.8.8.8/',
    'https://localhost/',
  ),
  storable,
);
/** A value of a type of Postgres, as a literal. `mine` and `theirs` stand for ids that there are. */
function literal(type: string): fc.Arbitrary<string> {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const some: Record<string, fc.Arbitrary<string>> = {
    uuid: fc.oneof(
      { weight: 8, arbitrary: fc.nat(1).map((n) => `<mine ${n}>`) },
      { weight: 3, arbitrary: fc.nat(1).map((n) => `<theirs ${n}>`) },
      { weight: 1, arbitrary: fc.uuid().map(quoted) },
    ),
    text: word.map(quoted),
    // In quotes: `::` binds closer than a minus, and the least integer has no positive.
    integer: fc
      .oneof(fc.integer({ min: -2, max: 80 }), fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1))
      .map((n) => `'${n}'`),
    numeric: fc.constantFrom('2.5', '-1', '0', '50', '50.1', '1e300', "'NaN'", "'Infinity'", '0.00000001'),
    'text[]': fc
      .array(fc.oneof(fc.constantFrom('pair.created', 'spread.threshold'), storable), { maxLength: 4 })
      .map((all) => `array[${all.map(quoted).join(', ')}]::text[]`),
  };
  const one = some[type];
  if (!one) throw new Error(`No values are made of the type ${type}: say here how.`);
  return fc.oneof(
    { weight: 9, arbitrary: one.map((value) => `${value}::${type}`) },
    { weight: 1, arbitrary: fc.constant(`null::${type}`) },
  );
}

const call = () =>
  fc.constantFrom(...doors).chain(({ name, args }) =>
    fc
      .record({ given: fc.tuple(...args.map(({ type }) => literal(type))), leaveOut: fc.nat(20) })
      .map(({ given, leaveOut }) => ({
        name,
        text: given.map((value, n) => `${args[n]?.name} => ${value}`),
        leaveOut,
      })),
  );

campaign(
  'a dashboard RPC with any arguments succeeds or fails with a sentence, and changes nothing of other organizations',
  () =>
    fc.asyncProperty(call(), fc.nat(9), async ({ name, text, leaveOut }, who) => {
      const nobody = { owner: await person(world.db.sql), ids: {} as Ids };
      const by = who === 0 ? nobody : await someone();
      const filled = text
        .filter((_, n) => n !== leaveOut)
        .map((one) =>
          one.replace(/^(\w+) => <(mine|theirs) (\d)>/, (_, param, whose, n) => {
            const all = (whose === 'mine' ? by.ids : victim.ids)[param] ?? victim.ids[param] ?? [];
            return `${param} => '${all[Number(n) % Math.max(all.length, 1)] ?? victim.org}'`;
          }),
        );
      const asking = as(world.db.sql, by.owner, `select api.${name}(${filled.join(', ')})`);
      const refused = await asking.then(
        () => undefined,
        (error: unknown) => error,
      );
      const where = `api.${name}(${filled.join(', ').slice(0, 500)})`;
      if (refused === undefined || isOfPostgrest(refused)) return;
      expect(refused, where).toBeInstanceOf(Refused);
      expect(refused, where).toMatchObject({
        code: expect.stringMatching(/^[a-z]+\.[a-z_]+$/),
        message: expect.stringMatching(/^[A-Z].*\.$/s),
      });
      expect((refused as Refused).status, where).toBeGreaterThanOrEqual(400);
      expect((refused as Refused).status, where).toBeLessThan(500);
    }),
  500,
);

/** No function takes these names: PostgREST says so itself and asks nothing. */
const isOfPostgrest = (error: unknown): boolean => (error as { code?: string }).code === '42883';

test('after all dashboard RPCs with arbitrary input the victim is unchanged, and its owner can sign in', async () => {
  expect(await ofTheVictim()).toEqual(before);
  expect((await start(world.db.sql, victim.owner)).org_id).toBe(victim.org);
});
