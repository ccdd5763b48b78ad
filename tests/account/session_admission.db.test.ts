import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import {
  addMember,
  asRole,
  claimsOf,
  expectRpcError,
  joinOrganization,
  organization,
  type Person,
  person,
} from './support/people.ts';

/** Guarantee: a page of the dashboard counts in the organization of its person, and in no other. */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase({ superuser: true });
});
afterAll(() => db.close());

const admit = async (who: Person, calls: number) => {
  const [row] = await asRole(db.sql, 'postgres', claimsOf(who), `select account.admit_session(${calls}) as org`);
  return row?.org as string;
};
const setPlan = (org: string, tier: string, status = 'active') =>
  db.sql`select account.set_plan(${org}, ${tier}, ${status}, 'test')`;
/** A person of one organization who also joins another. */
async function memberOfTwo() {
  const [own, other] = [await organization(db.sql), await organization(db.sql)];
  const who = await addMember(db.sql, own.owner, own.org, 'member');
  await joinOrganization(db.sql, who, { ...other, role: 'member' });
  return { who, first: own.org, second: other.org, owner: own.owner };
}

describe('account.admit_session', () => {
  test('counts in the organization that the person joined first, while both plans allow the same', async () => {
    const { who, first } = await memberOfTwo();
    expect(await admit(who, 1)).toBe(first);
  });

  test('counts in the organization whose plan allows most', async () => {
    const { who, second } = await memberOfTwo();
    await setPlan(second, 'pro');
    expect(await admit(who, 1)).toBe(second);
  });

  test('prefers an active plan to a larger one that is not', async () => {
    const { who, first, second } = await memberOfTwo();
    await setPlan(second, 'pro', 'inactive');
    expect(await admit(who, 1)).toBe(first);
  });

  test('counts in the window of that organization alone, up to its quota', async () => {
    const { who, first, second, owner } = await memberOfTwo();
    await setPlan(second, 'pro');
    expect(await admit(who, 1_499)).toBe(second);
    expect(await admit(who, 1)).toBe(second);
    await expectRpcError(admit(who, 1), 429, 'rate.window');
    expect(await admit(owner, 600)).toBe(first);
  });

  test('rejects a person without an organization', async () => {
    await expectRpcError(admit(await person(db.sql), 1), 404, 'organization.none');
  });
});
