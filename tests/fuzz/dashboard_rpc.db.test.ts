import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addMember,
  as,
  organization,
  type Person,
  person,
  RpcError,
  registerEndpoint,
  rpc,
  start,
} from '../account/support/people.ts';
import { idOf, uuidOf } from '../api/support/catalog.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { campaign } from './support/campaign.ts';
import { anyText, longText } from './support/texts.ts';

/**
 * Guarantee: for any arguments of a signed-in caller, each RPC of the dashboard (the functions of
 * schema api) succeeds or fails with a code and a sentence that the page can print. No RPC changes
 * data of another organization.
 */

type DashboardRpc = { name: string; args: { name: string; type: string }[] };
let fixture: ApiFixture;
let rpcs: DashboardRpc[];
/** The ids of one organization, by the name of the RPC parameter that takes them. */
type Ids = Record<string, string[]>;
let victim: { owner: Person; org: string; ids: Ids };
let before: unknown;

beforeAll(async () => {
  fixture = await createApiFixture();
  const { sql } = fixture.db;
  const rows = await sql<{ name: string; args: DashboardRpc['args'] }[]>`
    select p.proname as name,
           coalesce(
             (select jsonb_agg(jsonb_build_object('name', p.proargnames[n], 'type', t::regtype::text) order by n)
              from unnest(p.proargtypes) with ordinality a(t, n)), '[]'
           ) as args
    from pg_proc p
    where p.pronamespace = 'api'::regnamespace and has_function_privilege('authenticated', p.oid, 'execute')
    order by 1`;
  rpcs = [...rows];
  const { owner, org, ids } = await createCaller();
  victim = { owner, org, ids };
  before = await victimRows();
});
afterAll(() => fixture.close());

/** Every row of the victim's organization, as text. */
async function victimRows(): Promise<unknown> {
  const rows: unknown[] = [];
  for (const table of ['organizations', 'members', 'keys', 'subscriptions', 'usage', 'invitations', 'audit'])
    rows.push(
      await fixture.db.sql.unsafe(`select t::text from account.${table} t where org_id = '${victim.org}' order by 1`),
    );
  rows.push(await fixture.db.sql`select e::text from webhook.endpoints e where org_id = ${victim.org}`);
  return rows;
}

/**
 * An owner whose organization has one key, one invitation, one endpoint, one delivery and one
 * member.
 */
async function createCaller(): Promise<{ owner: Person; org: string; ids: Ids }> {
  const { sql } = fixture.db;
  const { owner, org } = await organization(sql);
  await sql`select account.set_plan(${org}, 'pro', 'active', 'test')`;
  const callRpc = (call: string) => rpc<Record<string, string>>(sql, owner, call);
  const { key_id = '' } = await callRpc(`mint_key('${org}', 'a key')`);
  const { invitation_id = '' } = await callRpc(`invite_member('${org}', 'member')`);
  const { id } = await registerEndpoint(sql, owner, org);
  const { delivery_id = '' } = await callRpc(`test_webhook('${id}')`);
  const member = await addMember(sql, owner, org, 'member');
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

let caller: Awaited<ReturnType<typeof createCaller>>;
let calls = 0;
/** Creates another caller after 15 calls, since an RPC may have deleted everything of this one. */
async function currentCaller(): Promise<typeof caller> {
  if (calls++ % 15 === 0) caller = await createCaller();
  return caller;
}

/** PostgREST passes text to Postgres as JSON, without NUL and without lone surrogates. */
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
    'best:all',
    'candidates:basketball',
  ),
  fc.constantFrom(
    idOf(1),
    uuidOf(2),
    idOf(999),
    'opp_00000000-0000-4000-8000-000000000000',
    'https://8.8.8.8/',
    'https://localhost/',
    'desk\u202Eksed',
    'Ac\u200Bme',
    '\u2066Acme\u2069',
    '\u{E0041}',
    '\u3164',
  ),
  storable,
);
/** An SQL literal of this type. `<mine n>` and `<theirs n>` are placeholders for existing ids. */
function literal(type: string): fc.Arbitrary<string> {
  const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
  const byType: Record<string, fc.Arbitrary<string>> = {
    uuid: fc.oneof(
      { weight: 8, arbitrary: fc.nat(1).map((n) => `<mine ${n}>`) },
      { weight: 3, arbitrary: fc.nat(1).map((n) => `<theirs ${n}>`) },
      { weight: 1, arbitrary: fc.uuid().map(quoted) },
    ),
    text: word.map(quoted),
    // Quoted, since `::` binds closer than a minus and the smallest integer has no positive value.
    integer: fc
      .oneof(fc.integer({ min: -2, max: 80 }), fc.integer(), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1))
      .map((n) => `'${n}'`),
    numeric: fc.constantFrom('2.5', '-1', '0', '50', '50.1', '1e300', "'NaN'", "'Infinity'", '0.00000001'),
    'timestamp with time zone': fc.constantFrom(
      ...["'2030-01-01'", "'infinity'", "'-infinity'", "'294276-12-31'", "'4713-01-01 BC'", 'clock_timestamp()'],
    ),
    'text[]': fc
      .array(fc.oneof(fc.constantFrom('pair.created', 'spread.threshold'), storable), { maxLength: 4 })
      .map((all) => `array[${all.map(quoted).join(', ')}]::text[]`),
  };
  const value = byType[type];
  if (!value) throw new Error(`No literal is generated for the type ${type}. Add it to byType.`);
  return fc.oneof(
    { weight: 9, arbitrary: value.map((text) => `${text}::${type}`) },
    { weight: 1, arbitrary: fc.constant(`null::${type}`) },
  );
}

const call = () =>
  fc.constantFrom(...rpcs).chain(({ name, args: parameters }) =>
    fc
      .record({ values: fc.tuple(...parameters.map(({ type }) => literal(type))), leaveOut: fc.nat(20) })
      .map(({ values, leaveOut }) => ({
        name,
        args: values.map((value, n) => `${parameters[n]?.name} => ${value}`),
        leaveOut,
      })),
  );

campaign(
  'a dashboard RPC with any arguments succeeds or fails with a sentence, and changes nothing of other organizations',
  () =>
    fc.asyncProperty(call(), fc.nat(9), async ({ name, args, leaveOut }, who) => {
      const newcomer = { owner: await person(fixture.db.sql), ids: {} as Ids };
      const by = who === 0 ? newcomer : await currentCaller();
      const filled = args
        .filter((_, n) => n !== leaveOut)
        .map((one) =>
          one.replace(/^(\w+) => <(mine|theirs) (\d)>/, (_, param, whose, n) => {
            const all = (whose === 'mine' ? by.ids : victim.ids)[param] ?? victim.ids[param] ?? [];
            return `${param} => '${all[Number(n) % Math.max(all.length, 1)] ?? victim.org}'`;
          }),
        );
      const result = as(fixture.db.sql, by.owner, `select api.${name}(${filled.join(', ')})`);
      const error = await result.then(
        () => undefined,
        (reason: unknown) => reason,
      );
      const where = `api.${name}(${filled.join(', ').slice(0, 500)})`;
      if (error === undefined || isUnknownFunction(error)) return;
      expect(error, where).toBeInstanceOf(RpcError);
      expect(error, where).toMatchObject({
        code: expect.stringMatching(/^[a-z]+\.[a-z_]+$/),
        message: expect.stringMatching(/^[A-Z].*\.$/s),
      });
      expect((error as RpcError).status, where).toBeGreaterThanOrEqual(400);
      expect((error as RpcError).status, where).toBeLessThan(500);
    }),
  500,
);

/** No function has these parameters. PostgREST itself answers such a request without a call. */
const isUnknownFunction = (error: unknown): boolean => (error as { code?: string }).code === '42883';

test('after all dashboard RPCs with arbitrary input the victim is unchanged, and its owner can sign in', async () => {
  expect(await victimRows()).toEqual(before);
  expect((await start(fixture.db.sql, victim.owner)).org_id).toBe(victim.org);
});
