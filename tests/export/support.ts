import { holdShardLeases, putPair, putUpdates, stopClock } from '../api/support/catalog.ts';
import { flush, good } from '../arb/fixture.ts';
import type { TestDatabase } from '../support/database.ts';

export const DAY = '2026-11-20';
export const at = (time: string): string => `${DAY}T${time}Z`;

/**
 * A day with three pairs: updates in two of its hours, one that voids the prices, an opportunity
 * that opened and closed, a refusal of each kind, and a result. Market time stops in it.
 */
export async function seedDay(db: TestDatabase): Promise<void> {
  const { sql } = db;
  await sql`update price.settings set keep_updates = '40 hours'`;
  const clock = await stopClock(sql, at('10:00:00'));
  await sql`select export.plan_day()`;
  await holdShardLeases(sql);
  for (const n of [1, 2, 3]) await putPair(sql, { n, confirmed: n === 1 });
  const asks = (n: number) => ({
    ask_a: [400_000 + n, 600_000],
    ask_b: [420_000, 580_000 - n],
    size_a: [100 * n, 50],
    size_b: [7, n],
  });
  await putUpdates(
    sql,
    Array.from({ length: 20 }, (_, n) => [1 + (n % 3), { at: at(`10:00:0${n % 10}.${100 + n}`), ...asks(n) }] as const),
  );
  await clock.set(at('10:12:00'));
  await flush(sql, 1, [{ at: at('10:10:00'), opp: good(1) }]);
  await flush(sql, 1, [{ at: at('10:11:00.250'), opp: good(1, 9_000) }]);
  await clock.set(at('11:30:00'));
  await holdShardLeases(sql);
  await flush(sql, 1, [{ at: at('11:20:00'), opp: null, ask: 600_000 }]);
  await flush(sql, 2, [{ at: at('11:21:00'), opp: null, void: 'book.gap' }]);
  await putUpdates(sql, [[3, { at: at('11:22:00'), void: 'lease.expired' }]]);
  await sql`
    insert into catalog.rejections (question_a, question_b, code, detail, seen_at)
    values ('a:x', 'b:x', 'date.differs', 'The days differ: 20 and 21 November.', ${at('09:00:00')})`;
  await sql`
    insert into arb.rejections (pair_id, stage, reason, subject, first_at, last_at, occurrences)
    select pair_id, 'decision', 'size.below_minimum', 'home', ${at('08:00:00')}, '2026-11-21T00:05:00Z', 12
    from catalog.pairs order by pair_id limit 1`;
  await sql`
    update catalog.pairs
    set status = 'settled', result = ${sql.json({ verdict: 'agree', venues_agree: true, void: false, winners: ['home'], paid: null, settled_at: at('11:25:00') })}
    where pair_id = (select max(pair_id::text)::uuid from catalog.pairs)`;
}

/** A bucket in memory. */
export class MemoryBucket {
  readonly files = new Map<string, Uint8Array>();
  readonly types = new Map<string, string>();

  async upload(path: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.files.set(path, bytes);
    this.types.set(path, type);
  }

  async remove(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.files.delete(path);
  }
}
