import { expect, test } from 'vitest';
import * as explain from '../../local/commands/explain.ts';
import { holdShardLeases, idOf, putPair, stopClock } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import { callCommand } from '../support/command.ts';
import { databaseOfStack } from '../support/database_of_stack.ts';

// Runs the command against a test database. The data folder states that a stack runs there, as npm
// start would.
const stack = databaseOfStack(async ({ sql }) => {
  await holdShardLeases(sql);
  await stopClock(sql, '2026-11-20T12:00:00Z');
});

async function why(...args: string[]): Promise<string> {
  const { status, out, err } = await callCommand(explain, [...args, '--data', stack.folder]);
  expect(err).toBe('');
  expect(status).toBe(0);
  return out;
}
const at = (time: string) => `2026-11-20T${time}.000Z`;

test('npm run why names each closed gate of a pair with its code and a sentence', async () => {
  await putPair(stack.db.sql, { n: 1, confirmed: false, risks: [['walkover', 'high']] });
  await stack.db.sql`select pipeline.refresh_snapshot()`;
  const output = await why(idOf(1));
  expect(output).toContain('not an arb: 3 of 4 gates are closed');
  expect(output).toContain('gate band: open');
  expect(output).toMatch(/gate parity: closed, parity\.unconfirmed \(.*Too few settled pairs/);
  expect(output).toContain('gate risk: closed, risk.walkover');
  expect(output).toContain('gate priced: closed, priced.never');
  expect(output).not.toContain('after the gates');
});

test('npm run why names the rejection and its time for a pair with open gates', async () => {
  await putPair(stack.db.sql, { n: 2, confirmed: true });
  await flush(stack.db.sql, 2, [
    { at: at('11:55:00'), opp: good(2) },
    { at: at('11:56:00'), opp: { refused: 'size.below_minimum', about: 'KX-2-home', since: null }, ask: 440_000 },
  ]);
  await stack.db.sql`update price.snapshot_state set step = '-infinity'`;
  await stack.db.sql`select pipeline.refresh_snapshot()`;
  const output = await why(idOf(2));
  expect(output).toContain('all four gates are open');
  expect(output).not.toMatch(/not an arb/);
  expect(output).toMatch(/after the gates: size\.below_minimum \(The available size is below/);
  expect(output).toMatch(
    /opp_\S+ opened 2026-11-20T11:55:00\.000Z, closed 2026-11-20T11:56:00\.000Z: size\.below_minimum/,
  );
  expect(output).toContain(
    'rejected size.below_minimum at KX-2-home, 1 times, last 2026-11-20T11:56:00.000Z, still current',
  );
  expect(JSON.parse(await why(idOf(2), '--json')).pairs[0].after.code).toBe('size.below_minimum');
});

test('npm run why reports an unknown listing as unknown', async () => {
  expect(await why('NOTHING-OF-THE-KIND')).toContain('NOTHING-OF-THE-KIND is unknown');
});
