import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectRpcError, organization, type Person, rpc } from '../account/support/people.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/** Guarantee: only members of an operators' organization read or decide the review queue. */

let db: TestDatabase;
let operator: Person;
let other: Person;
const calls = [`list_reviews('open')`, `read_review('names:epl:england/arsenal')`];
const decide = (decision: string) => `decide_review('names:epl:england/arsenal', '${decision}', 'another digest')`;

beforeAll(async () => {
  db = await createDatabase();
  const { owner, org } = await organization(db.sql);
  operator = owner;
  ({ owner: other } = await organization(db.sql));
  await db.sql`select account.set_operator(${org}, true)`;
  await db.sql`
    select catalog.propose_aliases('[{"league": "epl", "name": "Highbury Eleven", "normalized": "highbury eleven",
      "participant": "england/arsenal", "source": "review"}]')`;
});
afterAll(() => db.close());

test('a member of another organization gets 403 from each RPC, and nothing is decided', async () => {
  for (const call of [...calls, decide('confirm')]) {
    await expectRpcError(rpc(db.sql, other, call), 403, 'review.not_operator');
  }
  expect([...(await db.sql`select from catalog.review_decisions`)]).toEqual([]);
});

test('an operator reads the queue and an entry, and gets a code for each refused decision', async () => {
  const [list = '', read = ''] = calls;
  const queue = await rpc<{ counts: object; entries: { subject: string }[] }>(db.sql, operator, list);
  expect([queue.counts, queue.entries.map(({ subject }) => subject)]).toEqual([
    { open: 1 },
    ['names:epl:england/arsenal'],
  ]);
  const entry = await rpc<{ sports: string[]; sentences: object; decisions: object[] }>(db.sql, operator, read);
  expect(entry).toMatchObject({ kind: 'names', state: 'open', published: null, sentences: {}, decisions: [] });
  expect(entry.sports).toContain('soccer');
  await expectRpcError(rpc(db.sql, operator, `list_reviews('perhaps')`), 400, 'review.unknown_state');
  await expectRpcError(rpc(db.sql, operator, `read_review('league:KXNONE:none')`), 404, 'review.not_found');
  await expectRpcError(rpc(db.sql, operator, decide('confirm')), 409, 'review.changed');
  await expectRpcError(rpc(db.sql, operator, decide('perhaps')), 400, 'review.invalid');
});

test('an operator confirms a name, and the decision names them', async () => {
  const { digest } = await rpc<{ digest: string }>(db.sql, operator, calls[1] ?? '');
  await rpc(db.sql, operator, `decide_review('names:epl:england/arsenal', 'confirm', '${digest}', p_note => 'a note')`);
  const entry = await rpc(db.sql, operator, calls[1] ?? '');
  expect(entry).toMatchObject({
    state: 'confirmed',
    decisions: [{ decision: 'confirm', by: operator.email, note: 'a note' }],
  });
});

test('an organization that reviews no longer has no right to it any more', async () => {
  await db.sql`update account.organizations set is_operator = false`;
  await expectRpcError(rpc(db.sql, operator, calls[0] ?? ''), 403, 'review.not_operator');
});
