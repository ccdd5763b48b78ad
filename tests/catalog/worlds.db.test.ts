import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { readListings } from '../../local/match/files.ts';
import { matchListings } from '../../local/match/match.ts';
import { type Confusion, type Score, type Scorer, sumScores, type Truth } from '../../local/match/score.ts';
import { createDatabase } from '../support/database.ts';

/**
 * Guarantee: over recorded listings of both venues no parser throws, and the match pass publishes
 * no pair that is labelled wrong, inverts no side, and finds at least 97 % of the labelled events
 * and legs.
 */

const labels = join(import.meta.dirname, '../../../shared/data/labels');
const present = existsSync(join(labels, 'score.mjs'));
if (!present) console.log('skipped: ../shared/data/labels is not on this machine, recorded worlds are not scored');

/**
 * Labels that the listings contradict, each with its evidence in
 * docs/measurements/2026-11-20-labelled-worlds.md.
 */
const DISPUTED = new Set(['KXNFLAFCCHAMP-27-LAC']);

type Row = {
  band: string;
  stage: string;
  venue_a: { event_ticker: string };
  venue_b: { event_slug: string };
  outcomes: { relation: string | null }[];
  risks: { event: string }[];
};

const jsonLines = (path: string): Truth[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Truth);

/**
 * Whether a pair of two stations in one city is a candidate with its risk and without EXACT legs.
 */
function isDisclosed(rows: readonly Row[], one: Confusion): boolean {
  const row = rows.find((r) => r.venue_a.event_ticker === one.venue_a && r.venue_b.event_slug === one.venue_b);
  return (
    row !== undefined &&
    row.stage === 'candidate' &&
    row.risks.some((risk) => risk.event === 'station_mismatch') &&
    row.outcomes.every((outcome) => outcome.relation !== 'EXACT')
  );
}

describe.skipIf(!present)('a match pass over recorded listings', () => {
  const scores: Score[] = [];

  afterAll(() => {
    const { total } = sumScores(scores);
    console.log(
      `recorded worlds: ${total.any_right} pairs known to be right; events ${total.events_any}/${total.events}, legs ${total.legs_any}/${total.legs}`,
    );
  });

  it.each(present ? readdirSync(labels).filter((name) => !name.includes('.')) : [])(
    'publishes no wrong pair and no inverted leg of %s',
    async (world) => {
      const dir = join(labels, world);
      const truth = jsonLines(join(dir, 'truth.jsonl'));
      const scorer = (await import(pathToFileURL(join(labels, 'score.mjs')).href)) as Scorer;
      const database = await createDatabase();
      try {
        const read = (venue: string) => readListings(join(dir, `listings.${venue}.json`));
        const { rows, rejected } = await matchListings(database.sql, read('venue_a'), read('venue_b'), null);
        // Some recordings lack fields of markets. No event is rejected, and no parser throws.
        expect(rejected.filter(({ code }) => code !== 'market.missing_field')).toEqual([]);
        const score = scorer.score({ truth, out: rows, listings: scorer.readListings(dir), strict: false });
        scores.push(score);
        const wrong = score.confusions.filter((one) => !DISPUTED.has(one.leg?.ticker ?? ''));
        expect(wrong.filter((one) => one.band !== 'REVIEW')).toEqual([]);
        expect(wrong.filter((one) => !isDisclosed(rows as Row[], one))).toEqual([]);
        expect(score.total.inverted ?? 0).toBe(0);
        expect(score.total.hard_hi ?? 0).toBe(0);
      } finally {
        await database.close();
      }
    },
  );

  it('finds at least 97 % of the labelled events and legs in every family', () => {
    const { total, families } = sumScores(scores);
    expect(Number(total.events_any) / Number(total.events)).toBeGreaterThanOrEqual(0.97);
    expect(Number(total.legs_any) / Number(total.legs)).toBeGreaterThanOrEqual(0.97);
    const short = families.filter(
      (one) => Number(one.events_any) < 0.97 * Number(one.events) || Number(one.legs_any) < 0.97 * Number(one.legs),
    );
    expect(short.map((one) => one.family)).toEqual([]);
  });
});
