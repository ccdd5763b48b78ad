import { describe, expect, it } from 'vitest';
import { cleanText, MAX_TEXT_CHARS } from '../../functions/ingest/feeds/clean.ts';
import { questionsOfVenueB } from '../../functions/ingest/identity/venue_b.ts';
import { listVenueB } from '../../functions/ingest/venue_b/listing.ts';
import { completeEventB } from '../../local/match/complete_events.ts';
import { gameB } from '../catalog/fixtures.ts';

/**
 * Guarantee: a long rules text does not reject its event. The stored text is cut to a limit and
 * states that it was cut.
 */

const update = 'The venue was asked whether a change of the park has an effect on this market. It has none. ';
const rules =
  'In the upcoming MLB game, scheduled for August 9 at 8:20PM ET:\nIf the Astros win, the market will resolve to "Astros".\nIf the Padres win, the market will resolve to "Padres".\nIf the game is postponed, this market will remain open until the game has been completed.\n\n';
const listed = (text: string) =>
  listVenueB(
    [completeEventB(gameB('mlb-hou-sd-2026-08-09', ['San Diego Padres', 'Houston Astros'], { id: 'x', text }))],
    {
      now: '2026-08-08T12:00:00Z',
      recorded: true,
      questionsOf: questionsOfVenueB,
    },
  );

describe('a rules text', () => {
  it.each([15_000, 23_000, 400_000])(
    'keeps the question of its event at %d characters, with the clauses at its start',
    (length) => {
      const batch = listed((rules + update.repeat(Math.ceil(length / update.length))).slice(0, length));
      const [question] = batch.events[0]?.questions ?? [];
      expect(batch.rejected).toEqual([]);
      expect([question?.family, question?.excluded, question?.terms.rules, question?.terms.waits]).toEqual([
        'moneyline',
        null,
        'read',
        true,
      ]);
      const kept = batch.events[0]?.markets[0]?.rules ?? '';
      // A blank at the end of a text is removed.
      expect(Math.min(length, MAX_TEXT_CHARS) - kept.length).toBeLessThanOrEqual(1);
      expect(kept.length).toBeLessThanOrEqual(MAX_TEXT_CHARS);
      expect(kept.endsWith(`(Cut here: the venue's text has ${length} characters.)`)).toBe(length > MAX_TEXT_CHARS);
    },
  );

  it('is cut once, so that cleaning a cut text does not change it', () => {
    const kept = cleanText(update.repeat(1_000));
    expect(kept.length).toBe(MAX_TEXT_CHARS);
    expect(cleanText(kept)).toBe(kept);
  });
});
