import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isUnconfirmed } from '../../local/match/leave_one_out.ts';
import { matchListings } from '../../local/match/match.ts';
import type { MatchRow } from '../../local/match/rows.ts';
import { listingsOf, type World, worldsIn } from '../../local/match/worlds.ts';
import { createDatabase } from '../support/database.ts';

/**
 * Guarantee: candidates from text evidence change no published pair. A match pass without the
 * evidence stage publishes the same pairs with the same outcomes, signals and risks. Skipped with a
 * message when ../shared is missing.
 */

const data = join(import.meta.dirname, '../../../shared/data');
const folders = ['labels', 'micro/injected', 'micro/worlds'].filter((name) => existsSync(join(data, name)));
if (folders.length < 3) console.warn('evidence_tier.test.ts skips worlds: a folder of ../shared/data is missing');

const WITHOUT_EVIDENCE = `
  create or replace function catalog.find_evidence_candidates(p_candidates catalog.candidate[])
  returns setof catalog.candidate language sql stable set search_path = ''
  as $$ select c from unnest(p_candidates) c where false $$;
  create or replace function catalog.find_evidence_races()
  returns setof catalog.candidate language sql stable set search_path = ''
  as $$ select c from unnest('{}'::catalog.candidate[]) c where false $$;`;

/** The rows of one world. `stage` is 'catalog' for a published pair. */
async function rowsOf(world: World, withEvidence: boolean): Promise<(MatchRow & { stage?: string })[]> {
  const database = await createDatabase();
  try {
    if (!withEvidence) await database.sql.unsafe(WITHOUT_EVIDENCE);
    const [a, b] = listingsOf(world);
    return (await matchListings(database.sql, a, b, world.now)).rows;
  } finally {
    await database.close();
  }
}

describe.skipIf(folders.length === 0)('the published tier (skipped where ../shared/data is missing)', () => {
  const seen = { published: 0, evidence: 0 };
  afterAll(() => console.log(`evidence tier: ${seen.published} published pairs, ${seen.evidence} by text evidence`));

  // Every second world, because each takes two match passes. EVIDENCE_WORLDS=all compares all.
  const worlds = folders
    .flatMap((folder) => worldsIn(join(data, folder)).map((world) => ({ ...world, folder })))
    .filter((_, n) => n % 2 === 0 || process.env.EVIDENCE_WORLDS === 'all');
  it.each(worlds)('is the same without the evidence stage in $folder/$name', async (world) => {
    const [rows, without] = [await rowsOf(world, true), await rowsOf(world, false)];
    const published = (all: typeof rows) => all.filter((row) => row.stage === 'catalog');
    expect(published(rows)).toEqual(published(without));
    // The pairs that the registry decides and does not publish are the same as well.
    expect(rows.filter((row) => row.refused !== true && !isUnconfirmed(row))).toEqual(
      without.filter((row) => row.refused !== true),
    );
    expect(without.filter(isUnconfirmed)).toEqual([]);
    seen.published += published(rows).length;
    seen.evidence += rows.filter(isUnconfirmed).length;
  });

  it('is compared over published pairs and over candidates of text evidence', () => {
    expect(seen.published).toBeGreaterThan(0);
    expect(seen.evidence).toBeGreaterThan(0);
  });
});
