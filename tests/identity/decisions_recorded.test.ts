import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { econA } from '../../functions/ingest/identity/economy/econ_a.ts';
import { econB } from '../../functions/ingest/identity/economy/econ_b.ts';
import { decisionA } from '../../functions/ingest/identity/rates/decision_a.ts';
import { decisionB } from '../../functions/ingest/identity/rates/decision_b.ts';
import type { Question } from '../../functions/ingest/listing.ts';

/**
 * The recorded listings with labels, in ../shared/data/labels. The tests are skipped when the
 * folder is missing, and the title of the skipped suite states it.
 */
const LABELS = '../shared/data/labels';
const FAMILIES = new Set(['fed_decision', 'cb_decision', 'econ_print']);
const context = { now: '2026-04-22T12:00:00Z' };

type Side = { event_ticker?: string; ticker?: string; event_slug?: string; token_id?: string };
type Row = { label: string; family: string; grain: string; thin?: boolean; venue_a: Side; venue_b: Side };

const readers = {
  venue_a: [decisionA('fed_decision'), decisionA('cb_decision'), econA],
  venue_b: [decisionB('fed_decision'), decisionB('cb_decision'), econB],
};

function questions(world: string, venue: 'venue_a' | 'venue_b'): Map<string, Question[]> {
  const events: { event_ticker?: string; slug?: string }[] = JSON.parse(
    readFileSync(`${LABELS}/${world}/listings.${venue}.json`, 'utf8'),
  );
  return new Map(
    events.map((event) => [
      String(event.event_ticker ?? event.slug),
      readers[venue].flatMap((read) => read(event as never, context)).filter((one) => one.excluded === null),
    ]),
  );
}

const rowsOf = (world: string): Row[] =>
  readFileSync(`${LABELS}/${world}/truth.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line))
    .filter((row) => FAMILIES.has(row.family) && !row.thin);

const worlds = existsSync(LABELS)
  ? readdirSync(LABELS).filter((name) => existsSync(`${LABELS}/${name}/truth.jsonl`) && rowsOf(name).length > 0)
  : [];

describe.skipIf(worlds.length === 0)('recorded decisions and prints (skipped without ../shared)', () => {
  it.each(worlds)('matches the labelled pairs of %s and no others', (world) => {
    const [a, b] = [questions(world, 'venue_a'), questions(world, 'venue_b')];
    const wrong = rowsOf(world).filter((row) => {
      const pairs = (a.get(row.venue_a.event_ticker ?? '') ?? []).flatMap((one) =>
        (b.get(row.venue_b.event_slug ?? '') ?? [])
          .filter((two) => two.key === one.key)
          .map((two) => [one, two] as const),
      );
      const isPaired =
        row.grain === 'event'
          ? pairs.length > 0
          : pairs.some(([one, two]) =>
              one.legs.some(
                (leg) =>
                  leg.contract_id === row.venue_a.ticker &&
                  two.legs.some(
                    (twin) => twin.contract_id === row.venue_b.token_id && twin.outcome_key === leg.outcome_key,
                  ),
              ),
            );
      return isPaired !== (row.label === 'same');
    });
    expect(wrong).toEqual([]);
  });
});
