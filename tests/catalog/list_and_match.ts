import type { Sql } from '../../local/platform/postgres/template.ts';
import { listedA, listedB, putListings, runMatchPass } from './listings.ts';

/** Stores these events of both venues as parsed at `now`, and runs a match pass. */
export async function listAndMatch(sql: Sql, now: string, a: readonly unknown[], b: readonly unknown[]): Promise<void> {
  const onA = a.map((event) => listedA(event, { now }));
  const onB = b.map((event) => listedB(event, { now }));
  await putListings(sql, 'venue_a', onA);
  await putListings(sql, 'venue_b', onB);
  await runMatchPass(sql);
}
