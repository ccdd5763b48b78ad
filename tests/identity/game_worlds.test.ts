import { existsSync, readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moneylineA } from '../../functions/ingest/identity/game/moneyline_a.ts';
import { moneylineB } from '../../functions/ingest/identity/game/moneyline_b.ts';
import type { RawObject } from '../../functions/ingest/identity/text/raw_object.ts';
import type { Question } from '../../functions/ingest/listing.ts';

const NOW = { now: '2026-05-10T12:00:00Z' };
const LABELS = '../shared/data/labels';
/** Series of venue_a whose participants are not in a closed league. */
const SERIES =
  /^KX(?:ATP|WTA)(?:CHALLENGER)?MATCH|^KXUFCFIGHT|^KX(?:LOL|CS2|DOTA2|VALORANT|R6|COD)GAME|^KX(?:IPL|PSL)GAME|^KXT20MATCH/;

type Fact = {
  label: string;
  grain: string;
  family: string;
  thin?: boolean;
  venue_a: { event_ticker: string; ticker?: string; side?: string };
  venue_b: { event_slug: string; token_id?: string; slug?: string };
};

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;
const worlds = existsSync(LABELS) ? readdirSync(LABELS).filter((name) => !name.includes('.')) : [];

/**
 * The token that two questions pair with each ticker and side. Null when they are different
 * questions.
 */
function joined(one: Question | undefined, two: Question | undefined): Map<string, string> | null {
  if (!one || !two || one.excluded !== null || two.excluded !== null || one.key !== two.key) return null;
  return new Map(
    one.legs.flatMap((leg) => {
      const other = two.legs.find((candidate) => candidate.outcome_key === leg.outcome_key);
      return other ? [[`${leg.contract_id} ${leg.side}`, other.contract_id] as const] : [];
    }),
  );
}

describe.skipIf(worlds.length === 0)('labelled worlds (skipped where ../shared is missing)', () => {
  it.each(worlds)('pairs every labelled match of persons, esports and cricket in %s, and no others', (world) => {
    const facts = readFileSync(`${LABELS}/${world}/truth.jsonl`, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Fact)
      .filter((fact) => fact.family === 'moneyline' && SERIES.test(fact.venue_a.event_ticker));
    const listedA = new Map(
      read<RawObject[]>(`${LABELS}/${world}/listings.venue_a.json`).map((event) => [event.event_ticker, event]),
    );
    const listedB = new Map(
      read<RawObject[]>(`${LABELS}/${world}/listings.venue_b.json`).map((event) => [event.slug, event]),
    );
    for (const fact of facts) {
      const a = listedA.get(fact.venue_a.event_ticker);
      const b = listedB.get(fact.venue_b.event_slug);
      if (a === undefined || b === undefined || fact.thin) continue;
      const pairs = joined(moneylineA(a, NOW)[0], moneylineB(b, NOW)[0]);
      const where = `${fact.venue_a.event_ticker} and ${fact.venue_b.event_slug}`;
      if (fact.grain === 'event' && fact.label === 'same') expect(pairs, where).not.toBeNull();
      if (fact.grain === 'event' && fact.label === 'different') expect(pairs, where).toBeNull();
      if (fact.grain !== 'market' || fact.venue_a.ticker === undefined) continue;
      const token = pairs?.get(`${fact.venue_a.ticker} ${fact.venue_a.side ?? 'yes'}`);
      if (fact.label === 'same') expect(token, where).toBe(fact.venue_b.token_id);
      if (fact.label === 'different') expect(token, where).not.toBe(fact.venue_b.token_id);
    }
  });
});

describe('a generated match of two persons', () => {
  const surname = fc.constantFrom(
    'Opelka',
    'Ugo Carabelli',
    'Auger-Aliassime',
    'Zhang',
    'Moeller',
    'De Minaur',
    'Tien',
  );
  const given = fc.constantFrom('Ana', 'Juan Manuel', 'Jean-Luc', 'Q.', 'Michael');

  it('gives each player the same token for any order of title, markets and outcomes', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(given, surname), { minLength: 2, maxLength: 2, selector: ([, family]) => family }),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (players, titleTurned, marketsTurned, outcomesTurned) => {
          const maybeReversed = <T>(list: readonly T[], turn: boolean): T[] => (turn ? [...list].reverse() : [...list]);
          const families = maybeReversed(players, titleTurned).map(([, family]) => family);
          const ticker = 'KXATPMATCH-26MAY09AAABBB';
          const markets = players.map(([, family], at) => ({ ticker: `${ticker}-${at}`, yes_sub_title: family }));
          const names = players.map(([first, family]) => `${first} ${family}`);
          const outcomes = maybeReversed(names, outcomesTurned);
          const slug = 'atp-aaa-bbb-2026-05-09';
          const one = moneylineA(
            { event_ticker: ticker, title: families.join(' vs '), markets: maybeReversed(markets, marketsTurned) },
            NOW,
          )[0];
          const market = {
            slug,
            conditionId: '0x1',
            question: names.join(' vs. '),
            outcomes: JSON.stringify(outcomes),
            clobTokenIds: JSON.stringify(outcomes.map((name) => `token of ${name}`)),
          };
          const two = moneylineB({ slug, title: names.join(' vs. '), markets: [market] }, NOW)[0];
          const pairs = joined(one, two);
          expect([...(pairs ?? [])].sort()).toEqual(
            names.map((name, at) => [`${ticker}-${at} yes`, `token of ${name}`]),
          );
        },
      ),
    );
  });
});
