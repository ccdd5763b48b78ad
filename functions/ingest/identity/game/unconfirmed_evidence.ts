import type { Question } from '../../listing.ts';
import { abbreviates, parseTitleSides } from '../names/participants.ts';
import { AS_PRINTED } from '../names/registry.ts';
import { isClubAffix } from '../names/registry_build.ts';
import { type RawObject, records, text } from '../text/raw_object.ts';
import { parseGameSlug } from '../text/slug.ts';
import { normalize } from '../text/text.ts';
import { parseGameTicker, seriesOf } from '../text/ticker.ts';
import { titleOfB } from './competition_b.ts';
import { bareId } from './game.ts';
import { sharesWord } from './unconfirmed.ts';

/**
 * The text evidence of a game that the closed registry does not decide: the words and the code of
 * each side, and the league as the ticker or the slug abbreviates it. The database compares it with
 * that of the other venue (sql/325_catalog_evidence.sql).
 */

type Side = {
  key: string;
  words: string[];
  /** How the ticker or the slug abbreviates the side. Absent where that is not certain. */
  code?: string;
  /** Set where the listing has no contract for this side. */
  unlisted?: true;
};

const WOMEN = /\b(?:wom[ae]ns?|ladies|femenin[ao]|feminin[aoe]?|frauen|wfc)\b|\(w\)/i;
const MAX_WORDS = 8;
const CODE = /^[a-z0-9]{2,12}$/;

/** Marks a parsed game as unconfirmed, and adds its evidence. `excluded` states why. */
export function asUnconfirmed(
  question: Question,
  excluded: 'unconfirmed_league' | 'unknown_alias',
  event: RawObject,
): Question {
  if (question.excluded !== null) return question;
  const legs = question.legs.filter((leg) => leg.outcome_key !== 'draw');
  const listed = legs.map((leg) => ({ key: leg.outcome_key, name: leg.outcome_name }));
  const names: Named[] = [...listed, ...unlistedSide(question, listed)];
  const isVenueA = question.question_id.startsWith('venue_a:');
  const codes = isVenueA ? codesOfTicker(question, event) : codesOfSlug(names, event);
  const sides = names.map(({ key, name, unlisted }): Side => {
    const code = codes.get(key);
    return {
      key,
      words: nameWords(name),
      ...(code === undefined ? {} : { code }),
      ...(unlisted === undefined ? {} : { unlisted }),
    };
  });
  if (sides.length !== 2 || sides.some((side) => side.words.length === 0)) return question;
  const texts = [text(event.title), text(event.slug), ...records(event.tags).map((tag) => text(tag.slug))];
  const league = isVenueA ? leagueOfTicker(event) : leagueOfSlug(event);
  // Clubs of two unknown leagues may have the same names, and their games are not the same.
  const [listedIn = ''] = (text(event.event_ticker) ?? text(event.slug) ?? '').toLowerCase().split('-');
  return {
    ...question,
    key: excluded === 'unconfirmed_league' ? `${question.key}|${listedIn}` : question.key,
    sport: excluded === 'unconfirmed_league' ? null : question.sport,
    competition: excluded === 'unconfirmed_league' ? null : question.competition,
    excluded,
    identity: {
      ...question.identity,
      evidence: {
        sides,
        draw: question.legs.length > legs.length,
        women: texts.some((one) => one !== null && WOMEN.test(one.replace(/-/g, ' '))),
        ...(league === null ? {} : { league }),
      },
    },
  };
}

type Named = { key: string; name: string; unlisted?: true };

/** Returns the side that the title names and no contract pays, if there is one. */
function unlistedSide({ identity }: Question, listed: readonly Named[]): Named[] {
  const participants = Array.isArray(identity.participants) ? identity.participants : [];
  const keys = participants.filter((one) => typeof one === 'string').map(bareId);
  if (listed.length !== 1 || keys.length !== 2 || !keys.includes(listed[0]?.key ?? '')) return [];
  return keys
    .filter((key) => key !== listed[0]?.key)
    .map((key) => ({ key, name: key.replace(/-/g, ' '), unlisted: true }));
}

/**
 * Returns the code of each side on venue_a: the end of the ticker of its market, "CGY" of Calgary.
 * The code of a side without a market is the rest of the codes of the event.
 */
function codesOfTicker({ legs, identity }: Question, event: RawObject): Map<string, string> {
  const codes = new Map<string, string>();
  const add = (key: string, code: string) => CODE.test(code) && codes.set(key, code);
  for (const leg of legs) {
    const code = leg.market_id.split('-').at(-1)?.toLowerCase() ?? '';
    if (leg.outcome_key !== 'draw' && leg.side === 'yes') add(leg.outcome_key, code);
  }
  const [only, ...more] = codes;
  const both = parseGameTicker(text(event.event_ticker) ?? '')?.codes.toLowerCase() ?? '';
  if (only === undefined || more.length > 0) return codes;
  const [key, code] = only;
  const rests = [
    both.startsWith(code) ? both.slice(code.length) : null,
    both.endsWith(code) ? both.slice(0, -code.length) : null,
  ].filter((rest) => rest !== null);
  const participants = Array.isArray(identity.participants) ? identity.participants : [];
  const other = participants.flatMap((one) => (typeof one === 'string' && bareId(one) !== key ? bareId(one) : []));
  if (rests.length === 1 && other.length === 1) add(other[0] ?? '', rests[0] ?? '');
  return codes;
}

/**
 * Returns the code of each side on venue_b. The codes of a slug are in the order of the title: in
 * all 1,022 games of the recorded worlds whose codes the registry holds. Where the letters of a
 * code spell the other name and not its own, the order is not certain, and no side has a code.
 */
function codesOfSlug(sides: readonly Named[], event: RawObject): Map<string, string> {
  const slug = text(event.slug) ?? '';
  const codes = (parseGameSlug(slug)?.codes ?? []).map((code) => code.replace(/^([a-z]{3,})\d+$/, '$1'));
  const title = parseTitleSides(titleOfB(event, slug));
  const [one, two] = codes;
  if (one === undefined || two === undefined || codes.length !== 2 || one === two || title === null) return new Map();
  if (!CODE.test(one) || !CODE.test(two)) return new Map();
  const spellsOther = (code: string, own: string, other: string) => abbreviates(code, other) && !abbreviates(code, own);
  if (spellsOther(one, title.first, title.second) || spellsOther(two, title.second, title.first)) return new Map();
  const [a, b] = sides;
  if (a === undefined || b === undefined) return new Map();
  const straight = sharesWord(a.name, title.first) && sharesWord(b.name, title.second);
  const crossed = sharesWord(a.name, title.second) && sharesWord(b.name, title.first);
  if (straight === crossed) return new Map();
  const [first, second] = straight ? [a.key, b.key] : [b.key, a.key];
  return new Map([
    [first, one],
    [second, two],
  ]);
}

/** Returns the league as the series abbreviates it: "nfl" of KXNFLGAME. */
function leagueOfTicker(event: RawObject): string | null {
  const series = seriesOf(text(event.event_ticker) ?? '').toLowerCase();
  const word = series.replace(/^kx/, '').replace(/(?:game|match|fight)$/, '');
  return CODE.test(word) ? word : null;
}

/** Returns the league as the slug abbreviates it: "nfl" of `nfl-buf-ne-2025-11-02`. */
function leagueOfSlug(event: RawObject): string | null {
  const prefix = parseGameSlug(text(event.slug) ?? '')?.prefix ?? '';
  return CODE.test(prefix) ? prefix : null;
}

/** The words that identify a name, without affixes of clubs, in order and bounded. */
function nameWords(name: string): string[] {
  const words = normalize(name.replace(AS_PRINTED, '').slice(0, 120))
    .split(' ')
    .filter((word) => word !== '');
  const own = words.filter((word) => !isClubAffix(word) && !/^women$|^w$/.test(word));
  return [...new Set(own.length === 0 ? words : own)].slice(0, MAX_WORDS);
}
