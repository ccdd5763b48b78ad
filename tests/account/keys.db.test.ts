import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { base62, crc32 } from '../../functions/_shared/checksum.ts';
import { hashKey } from '../../functions/_shared/http/hash_key.ts';
import { isWellFormedKey } from '../../functions/api/http/keys.ts';
import { createDatabase, type TestDatabase } from '../support/database.ts';
import { as, organization, rpc } from './support/people.ts';

type Vectors = {
  base62: [number, string][];
  vectors: { body: string; crc32: number; checksum: string; key: string; sha256: string }[];
};
const { base62: numbers, vectors } = JSON.parse(
  readFileSync(new URL('key_vectors.json', import.meta.url), 'utf8'),
) as Vectors;

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

describe('SQL and TypeScript', () => {
  test.each(vectors)(
    'give equal checksums and hashes for the key $body',
    async ({ body, crc32: crc, checksum, key, sha256 }) => {
      const [sql] = await db.sql`
      select account.crc32(${body})::text as crc, account.checksum(${body}) as checksum, encode(account.key_hash(${key}), 'hex') as hash`;
      expect(sql).toEqual({ crc: String(crc), checksum, hash: sha256 });
      expect({ crc: crc32(body), checksum: base62(crc32(body), 6), hash: hashKey(key) }).toEqual({
        crc,
        checksum,
        hash: sha256,
      });
      expect(isWellFormedKey(key)).toBe(true);
    },
  );

  test.each(numbers)('both write %d in base62 as %s', async (value, text) => {
    const [sql] = await db.sql<{ text: string }[]>`select account.base62(${String(value)}::bigint, 6) as text`;
    expect([sql?.text, base62(value, 6)]).toEqual([text, text]);
  });
});

describe('the checksum of a key', () => {
  test('rejects every key with one character changed or two neighbours swapped', () => {
    const key = vectors[2]?.key ?? '';
    const place = fc.integer({ min: 8, max: key.length - 1 });
    fc.assert(
      fc.property(place, fc.constantFrom(...'0Aaz9Zq'), (at, char) => {
        const typo = key.slice(0, at) + char + key.slice(at + 1);
        const swapped = key.slice(0, at - 1) + key[at] + key[at - 1] + key.slice(at + 1);
        for (const wrong of [typo, swapped]) if (wrong !== key) expect(isWellFormedKey(wrong)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
  test('rejects arbitrary text', () => {
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  });
});

describe('account.mint_key', () => {
  test('creates distinct keys with the right form and checksum, and stores only prefix and hash', async () => {
    const rows = await db.sql<
      { key: string }[]
    >`select account.mint_key('Shape', 'pro') as key from generate_series(1, 20)`;
    const keys = rows.map((row) => row.key);
    expect(new Set(keys).size).toBe(20);
    for (const key of keys) expect(isWellFormedKey(key)).toBe(true);
    const stored =
      await db.sql`select to_jsonb(k) as row from account.keys k join account.organizations o using (org_id) where o.name = 'Shape'`;
    expect(stored).toHaveLength(20);
    for (const key of keys) {
      const secret = key.slice(17);
      expect(JSON.stringify(stored)).not.toContain(secret);
      expect(JSON.stringify(stored)).toContain(key.slice(0, 16));
    }
  });

  test('keeps one organization for a name, and sets its tier', async () => {
    await db.sql`select account.mint_key('Twice', 'free')`;
    await Promise.all([
      db.sql`select account.mint_key(' Twice ', 'premium')`,
      db.sql`select account.mint_key('Twice', 'premium')`,
    ]);
    const rows = await db.sql`
      select s.tier, s.status, (select count(*)::integer from account.keys k where k.org_id = o.org_id) as keys
      from account.organizations o join account.subscriptions s using (org_id) where o.name = 'Twice'`;
    expect(rows).toEqual([{ tier: 'premium', status: 'active', keys: 3 }]);
  });

  test.each([
    ['', 'pro', /needs a name/],
    ['   ', 'pro', /needs a name/],
    ['Acme', 'gold', /There is no tier "gold". There are: free, basic, premium, pro\./],
  ])('rejects %j with tier %s in a sentence', async (name, tier, words) => {
    await expect(db.sql`select account.mint_key(${name}, ${tier})`).rejects.toThrow(words);
  });

  test('rejects a name of 201 characters in a sentence', async () => {
    await expect(db.sql`select account.mint_key(${'x'.repeat(201)}, 'pro')`).rejects.toThrow(/needs a name/);
  });

  test('changes no organization of the dashboard with the same name, unless its id is given', async () => {
    const { owner, org } = await organization(db.sql);
    await rpc(db.sql, owner, `rename_organization('${org}', 'Taken')`);
    await db.sql`select account.mint_key('Taken', 'pro')`;
    const plans = await db.sql`
      select o.org_id = ${org} as theirs, s.tier
      from account.organizations o
      join account.subscriptions s using (org_id)
      where o.name = 'Taken'
      order by theirs`;
    expect(plans).toEqual([
      { theirs: false, tier: 'pro' },
      { theirs: true, tier: 'free' },
    ]);
    expect(await as(db.sql, owner, 'select * from api.my_keys')).toEqual([]);
    await db.sql`select account.mint_key(${org.toUpperCase()}, 'basic')`;
    expect(await as(db.sql, owner, 'select * from api.my_keys')).toHaveLength(1);
  });

  test.each([
    [' ', `1 day`, 'full', /A key needs a name of 1 to 100 characters/],
    ['a', `-1 second`, 'full', /must expire in the future, within 10 years/],
    ['a', `11 years`, 'full', /must expire in the future, within 10 years/],
    ['a', `1 day`, 'write', /A scope is "full" or "read_only", not "write"/],
  ])('rejects a key named %j that lives %s with the scope %s', async (name, lifetime, scope, words) => {
    const mint = db.sql`
      select account.mint_key('Refused', 'pro', ${name}, clock_timestamp() + ${lifetime}::interval, ${scope})`;
    await expect(mint).rejects.toThrow(words);
    expect(await db.sql`select from account.organizations where name = 'Refused'`).toHaveLength(0);
  });

  test('draws each character with equal frequency', async () => {
    const [row] = await db.sql<{ text: string }[]>`select account.random_base62(40000) as text`;
    const text = row?.text ?? '';
    expect(text).toHaveLength(40000);
    const early = [...text].filter((char) => char >= '0' && char <= '7').length;
    // 8/62 of 40,000 = 5161, standard deviation 67; bytes modulo 62 would give 6250.
    expect(Math.abs(early - 5161)).toBeLessThan(6 * 67);
  });
});
