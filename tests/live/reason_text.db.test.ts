import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reasonText } from '../../dashboard/src/live/reason_text.ts';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Guarantee: the pages have a sentence for every reason code with which SQL closes a gate or an
 * opportunity.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

/** The fallback for a code without a sentence: "risk settlement source." */
const fallback = (code: string): string => `${code.replace(/[._]/g, ' ')}.`;
const withoutSentence = (codes: readonly string[]): string[] =>
  codes.filter((code) => reasonText(code) === fallback(code));

/** The definitions of functions and views of the database. */
async function bodies(names: readonly string[]): Promise<string> {
  const rows = await db.sql<{ body: string }[]>`
    select pg_get_functiondef(p.oid) as body
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname || '.' || p.proname in ${db.sql(names)}
    union all
    select pg_get_viewdef(c.oid)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'v' and n.nspname || '.' || c.relname in ${db.sql(names)}`;
  expect(rows).toHaveLength(names.length);
  return rows.map((row) => row.body).join('\n');
}

const codesIn = (text: string, prefixes: string): string[] => [
  ...new Set([...text.matchAll(new RegExp(`'((?:${prefixes})\\.[a-z_]+)'`, 'g'))].map(([, code]) => code ?? '')),
];

describe('reasonText', () => {
  test('has a sentence for every reason code of the band, parity and price gates', async () => {
    const codes = codesIn(
      await bodies(['catalog.judge_band', 'catalog.judge_parity', 'price.judge_price']),
      'band|parity|priced',
    );
    expect(codes).toEqual(expect.arrayContaining(['band.review', 'parity.withdrawn', 'priced.never']));
    expect(withoutSentence(codes)).toEqual([]);
  });

  test('has a sentence for every reason of an alarm about a pair', async () => {
    const [check] = await db.sql<{ text: string }[]>`
      select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'alarms_reason_check'`;
    const codes = [...(check?.text ?? '').matchAll(/'([a-z_]+)'/g)].map(([, reason]) => `band.${reason}`);
    expect(codes).toContain('band.price_divergence');
    expect(withoutSentence(codes)).toEqual([]);
  });

  test('has a sentence for every risk that can be high or critical and so close the risk gate', async () => {
    const graded = await db.sql<{ event: string }[]>`
      select distinct event from catalog.risk_grades()
      where differs in ('high', 'critical') or one_sided in ('high', 'critical')`;
    const written = await bodies(['catalog.find_text_risks', 'catalog.reading_risks', 'catalog.listing_risks']);
    const literal = [...written.matchAll(/select '([a-z_]+)'(?:::text)?, (?:'(?:high|critical)'|case when)/gi)];
    const events = [...graded.map((row) => row.event), ...literal.map(([, event]) => event ?? '')];
    expect(events).toEqual(
      expect.arrayContaining(['settlement_source', 'void_pays_zero', 'several_can_pay', 'rules_unread']),
    );
    expect(withoutSentence(events.map((event) => `risk.${event}`))).toEqual([]);
    // Internal risks (cancel_…) also close the gate.
    expect(reasonText('risk.cancel_payout')).toBe('High or critical risk: a cancellation pays differently.');
  });

  test('has a sentence for every reason with which an opportunity closes or is not served', async () => {
    const codes = codesIn(
      await bodies(['arb.gate_close_reason', 'arb.apply_updates', 'arb.invalid_state_reason', 'arb.unservable_reason']),
      'pair|edge|state|legs',
    );
    const statuses = ['resolving', 'closed', 'settled'].map((status) => `pair.${status}`);
    expect(codes).toEqual(expect.arrayContaining(['pair.withdrawn', 'edge.gone', 'state.cost', 'legs.changed']));
    expect(withoutSentence([...codes, ...statuses])).toEqual([]);
  });

  test('has a sentence for every void reason of a price, alone and as the reason of a closed gate', () => {
    const text = ['functions/ingest/engine', 'functions/ingest/books']
      .flatMap((folder) => readdirSync(join(repository, folder)).map((name) => join(repository, folder, name)))
      .map((file) => readFileSync(file, 'utf8'))
      .concat(readFileSync(join(repository, 'sql/42_price_apply.sql'), 'utf8'))
      .join('\n');
    const codes = codesIn(text, 'book|feed|fee|lease|price|profit|size|venues').filter(
      // These are names of a table and a lock, not codes.
      (code) => !['price.updates', 'pipeline.apply_books'].includes(code),
    );
    expect(codes).toEqual(expect.arrayContaining(['book.crossed', 'feed.silent', 'lease.expired', 'fee.unknown']));
    expect(withoutSentence(codes)).toEqual([]);
    expect(withoutSentence(codes.map((code) => `priced.${code}`))).toEqual([]);
  });
});
