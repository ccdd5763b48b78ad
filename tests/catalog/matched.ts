import type { Sql } from '../../local/platform/postgres/template.ts';
import { listedA, listedB, pass, put } from './listings.ts';

/** Lists these events of both venues as they read at `now`, and runs the match pass over them. */
export async function matched(sql: Sql, now: string, a: readonly unknown[], b: readonly unknown[]): Promise<void> {
  const onA = a.map((event) => listedA(event, { now }));
  const onB = b.map((event) => listedB(event, { now }));
  await put(sql, 'venue_a', onA);
  await put(sql, 'venue_b', onB);
  await pass(sql);
}
