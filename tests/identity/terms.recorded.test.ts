import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sportsTerms } from '../../functions/ingest/identity/terms/terms.ts';
import { type RawObject, record, text } from '../../functions/ingest/identity/text/raw_object.ts';

/**
 * Guarantee: every recorded template of rules gives the terms that a person reads in it. Skipped
 * with a message when `../shared` is missing.
 */

const shared = join(import.meta.dirname, '../../../shared/data');
const places = ['recorded', 'labels/football-2026-09', 'labels/summer-2026', 'labels/macro-2026-05-18'];
const isAvailable = places.every((place) => existsSync(join(shared, place)));
if (!isAvailable) console.warn('terms.recorded.test.ts is skipped: ../shared/data is missing');

function files(path: string): string[] {
  if (!statSync(path).isDirectory()) return path.endsWith('.json') ? [path] : [];
  return readdirSync(path).flatMap((name) => files(join(path, name)));
}

function* rawObjects(value: unknown): Generator<RawObject> {
  if (Array.isArray(value)) for (const one of value) yield* rawObjects(one);
  else if (typeof value === 'object' && value !== null) {
    yield record(value);
    for (const one of Object.values(value)) yield* rawObjects(one);
  }
}

/**
 * The parsed terms in one line: "48h, cancelled fair_price, tie split". Sources, days and the date
 * of the listing are omitted.
 */
function summaryOf(terms: ReturnType<typeof sportsTerms>): string {
  const { rules, postponement_hours, waits, overtime, must_start, conflicts, ...rest } = terms;
  const { sources: _s, scheduled_date: _d, fields_agree: _f, ...paid } = rest;
  const parts = [
    rules === 'read' ? null : rules,
    postponement_hours === null ? null : `${postponement_hours}h`,
    waits ? 'waits' : null,
    ...Object.entries(paid).flatMap(([one, pays]) => (pays === null ? [] : [`${one} ${pays}`])),
    overtime,
    must_start ? 'must start' : null,
    ...(conflicts as string[]).map((one) => `two answers: ${one}`),
  ].filter((one) => one !== null && one !== undefined);
  return parts.length === 0 ? 'nothing of odd cases' : parts.join(', ');
}

function templates(venue: 'a' | 'b'): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const file of places.flatMap((place) => files(join(shared, place)))) {
    for (const raw of rawObjects(JSON.parse(readFileSync(file, 'utf8')))) {
      const primary = text(raw.rules_primary);
      const parts =
        venue === 'a' && primary !== null
          ? `${raw.rules_primary}\n\n${raw.rules_secondary ?? ''}`
          : venue === 'b' && primary === null && typeof raw.description === 'string'
            ? raw.description
            : null;
      if (parts === null) continue;
      const series = (text(raw.event_ticker) ?? text(raw.ticker) ?? text(raw.slug) ?? '').split('-')[0] ?? '';
      found.set(series, (found.get(series) ?? new Set()).add(summaryOf(sportsTerms(parts, [], null))));
    }
  }
  return found;
}

const SOCCER = 'regulation';
const FAIR = 'cancelled fair_price';

const read = isAvailable
  ? { a: templates('a'), b: templates('b') }
  : { a: new Map<string, Set<string>>(), b: new Map<string, Set<string>>() };

describe.skipIf(!isAvailable)('recorded rules texts', () => {
  it.each<[string, string[]]>([
    ['KXNFLGAME', [`48h, ${FAIR}, tie split`]],
    ['KXNCAAFGAME', [`48h, ${FAIR}`, `336h, ${FAIR}, tie split`]],
    ['KXMLBGAME', [`48h, ${FAIR}`, 'nothing of odd cases']],
    ['KXWNBAGAME', [`48h, ${FAIR}`]],
    ['KXWNBATOTAL', [`48h, ${FAIR}, included`]],
    ['KXWNBASPREAD', [`48h, ${FAIR}`, 'nothing of odd cases']],
    ['KXMLBSPREAD', ['nothing of odd cases']],
    ['KXMLBTOTAL', ['nothing of odd cases']],
    ['KXCFLSPREAD', ['nothing of odd cases']],
    ['KXNHLSPREAD', ['nothing of odd cases']],
    ['KXMLBF5SPREAD', ['48h', 'nothing of odd cases']],
    ['KXMLSGAME', [`48h, ${FAIR}, tie own_outcome, ${SOCCER}`]],
    ['KXMLSSPREAD', [SOCCER]],
    ['KXSERIEASPREAD', [SOCCER]],
    ['KXUELSPREAD', [SOCCER]],
    ['KXEPL1HSPREAD', [`336h, ${FAIR}`]],
    ['KXATPGSPREAD', [`336h, ${FAIR}, walkover fair_price, retirement if_decided, must start`]],
    ['KXATPMATCH', [`336h, ${FAIR}, walkover fair_price, must start`]],
    ['KXITFWMATCH', ['336h, cancelled split, walkover split, retirement winner, must start']],
    ['KXLOLGAME', [`48h, ${FAIR}, walkover fair_price, forfeit winner`]],
    ['KXNBA', ['nothing of odd cases']],
    ['KXNFLMVP', ['dead_heat own_outcome', 'nothing of odd cases']],
  ])('give the expected terms for the series %s of venue_a', (series, expected) => {
    expect([...(read.a.get(series) ?? [])].sort()).toEqual([...expected].sort());
  });

  it.each<[string, string[]]>([
    ['nfl', ['waits, cancelled split, tie split']],
    ['cs2', ['168h, cancelled split, tie split, walkover split, forfeit winner']],
  ])('give the expected terms for the slug prefix %s of venue_b', (prefix, expected) => {
    expect([...(read.b.get(prefix) ?? [])].sort()).toEqual([...expected].sort());
  });

  it('never give two answers for one term', () => {
    const all = [...read.a.values(), ...read.b.values()].flatMap((one) => [...one]);
    expect(all.filter((one) => one.includes('two answers'))).toEqual([]);
  });
});
