import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilWaitingForLock } from '../support/lock_wait.ts';
import { type ApiFixture, createApiFixture } from './support/fixture.ts';

let world: ApiFixture;
beforeAll(async () => {
  world = await createApiFixture();
});
afterAll(() => world.close());

test('an organization whose requests wait in the database takes no connection from another', async () => {
  const [busy, other] = [await world.key(), await world.key()];
  for (const key of [busy, other]) expect((await world.get('/v1/account', key)).status).toBe(200);
  let waiting: Promise<Response>[] = [];
  await world.db.sql.begin(async (sql) => {
    // Admission locks this row.
    await sql`
      select from account.usage u
      join account.keys k using (org_id)
      where k.hash = account.key_hash(${busy})
      for update of u`;
    waiting = Array.from({ length: 40 }, () => world.get('/v1/account', busy));
    // Two of the four connections.
    await untilWaitingForLock(world.db.sql, 'call_action_route', 2);
    for (let n = 0; n < 5; n += 1) {
      const startedAt = performance.now();
      expect((await world.get('/v1/account', other)).status).toBe(200);
      expect(performance.now() - startedAt).toBeLessThan(1_000);
    }
  });
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
});
