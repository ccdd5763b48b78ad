import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import assets from '../../functions/ingest/identity/registry/assets.json' with { type: 'json' };
import banks from '../../functions/ingest/identity/registry/central_banks.json' with { type: 'json' };
import cities from '../../functions/ingest/identity/registry/cities.json' with { type: 'json' };
import indicators from '../../functions/ingest/identity/registry/indicators.json' with { type: 'json' };
import { createDatabase, type TestDatabase } from '../support/database.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createDatabase();
});
afterAll(() => db.close());

const condition = async (filters: Record<string, string | null>) => {
  const [row] = await db.sql<{ sql: string }[]>`select price.filter_condition(${db.sql.json(filters)}) as sql`;
  return row?.sql ?? '';
};

describe('filter conditions', () => {
  test('match names of the catalog in any case and by their short names', async () => {
    for (const [filter, short, name] of [
      ['asset', 'BTC', 'bitcoin'],
      ['asset', 'Eth', 'ethereum'],
      ['asset', 'SOL', 'solana'],
      ['institution', 'FOMC', 'federal reserve'],
      ['indicator', 'CPI', 'cpi'],
      ['location', 'NYC', 'new york city'],
    ] as const) {
      expect(await condition({ [filter]: short })).toContain(name);
    }
    expect(await condition({ asset: 'FOMC' })).not.toContain('federal');
    expect(await condition({})).toBe('');
    expect(await condition({ sport: null })).toBe('');
  });

  test('quote values with any content', async () => {
    for (const value of [`'; drop table price.snapshot; --`, `{"a","b"}`, '{}', '\\', `O'Neill, "x"`, '%s %I', '']) {
      const [row] = await db.sql.unsafe<{ n: string }[]>(
        `select count(*) as n from price.snapshot s where true${await condition({ sport: value, asset: value })}`,
      );
      expect(row?.n).toBe('0');
    }
  });

  test('have short names only for names of the registry, and for every symbol of an asset', async () => {
    const known = await db.sql<{ filter: string; name: string; short: string[] }[]>`select * from price.short_names()`;
    const named: Record<string, { name: string }[]> = {
      asset: assets.assets,
      institution: banks.banks,
      indicator: indicators.indicators,
      location: cities.cities,
    };
    const unknown = known.filter(({ filter, name }) => !named[filter]?.some((one) => one.name === name));
    expect(unknown).toEqual([]);
    const shorts = known.flatMap(({ filter, short }) => short.map((one) => `${filter} ${one}`));
    expect(shorts.filter((one) => one !== one.toLowerCase())).toEqual([]);
    expect(new Set(shorts).size).toBe(shorts.length);
    const missing = assets.assets.flatMap(({ name, symbols }) =>
      symbols.filter((symbol) => symbol !== name.toLowerCase() && !shorts.includes(`asset ${symbol}`)),
    );
    expect(missing).toEqual([]);
  });
});
