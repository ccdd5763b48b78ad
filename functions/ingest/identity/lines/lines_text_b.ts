import type { LineFamily } from './lines_registry.ts';

/**
 * A line as the question of a venue_b market states it: "Spread: Aston Villa FC (-2.5)", "Panthers
 * vs. Falcons: O/U 44.5".
 */
export type ParsedLine = {
  family: LineFamily;
  /** The unit that is counted, if the words name it. */
  unit: string | null;
  /** "1H", "First 5 Innings": a part of the game. Null for the whole game. */
  part: string | null;
  /** The named team. Null for a total. */
  name: string | null;
  /** The number with the sign as written. */
  line: number;
  /** The other side of a handicap that names both sides. */
  other: { name: string; line: number } | null;
};

const NUMBER = String.raw`([-+−–]?\d+(?:\.\d+)?)`;
const PART = String.raw`((?:[1-4](?:H|Q|P)|(?:1st|2nd|3rd|4th|first|second|third|fourth)(?: \d)? (?:half|quarter|period|innings?|set|map|game)|F5|(?:set|map|game|half|quarter|period) \d)\b)`;
const SPREAD = new RegExp(String.raw`^(?:${PART}:? )?spread: (.+?) \(${NUMBER}\)$`, 'i');
const HANDICAP = new RegExp(
  String.raw`^(?:${PART}:? )?(map|game|set)s? handicap: (.+?) \(${NUMBER}\)(?: vs\.? (.+?) \(${NUMBER}\))?$`,
  'i',
);
const TEAM_TOTAL = new RegExp(`^(?:.+: )?(.+?) (?:${PART} )?team total:? o/u ${NUMBER}$`, 'i');
const OVER_UNDER = new RegExp(String.raw`^(?:(.+): )?(.*?) ?\bo/u ${NUMBER}(?: (.+))?$`, 'i');
const LEADING_PART = new RegExp(`^${PART}:? ?`, 'i');

const parseNumber = (written: string | undefined): number => Number((written ?? '').replace(/[−–]/, '-'));

/**
 * Null for everything that is no line of a game: players, corners, cards, kills, exact scores,
 * series.
 */
export function parseLine(question: string): ParsedLine | null {
  const trimmed = question.trim().replace(/\?$/, '').trim();
  return parseSpread(trimmed) ?? parseHandicap(trimmed) ?? parseTeamTotal(trimmed) ?? parseOverUnder(trimmed);
}

function parseSpread(question: string): ParsedLine | null {
  const match = SPREAD.exec(question);
  if (!match) return null;
  const [, part, name = '', line] = match;
  return { family: 'spread', unit: null, part: part ?? null, name, line: parseNumber(line), other: null };
}

function parseHandicap(question: string): ParsedLine | null {
  const match = HANDICAP.exec(question);
  if (!match) return null;
  const [, part, unit = '', name = '', line, otherName, otherLine] = match;
  return {
    family: 'spread',
    unit: `${unit.toLowerCase()}s`,
    part: part ?? null,
    name,
    line: parseNumber(line),
    other: otherName === undefined ? null : { name: otherName, line: parseNumber(otherLine) },
  };
}

function parseTeamTotal(question: string): ParsedLine | null {
  const match = TEAM_TOTAL.exec(question);
  if (!match) return null;
  const [, name = '', part, line] = match;
  return { family: 'team_total', unit: null, part: part ?? null, name, line: parseNumber(line), other: null };
}

const COUNTED = /^(goals|runs|points|games|sets|maps|rounds)$/i;
const BETWEEN = / (?:vs\.?|v\.?|at|@) /i;

/**
 * "A vs. B: O/U 2.5", "A vs. B: 1H O/U 103.5", "A vs. B: A O/U 1.5", "Games Total: O/U 2.5", "A vs.
 * B: Total Sets O/U 2.5".
 */
function parseOverUnder(question: string): ParsedLine | null {
  const match = OVER_UNDER.exec(question);
  if (!match) return null;
  const [, head = '', middle = '', line, tail = ''] = match;
  if (tail !== '' && !COUNTED.test(tail)) return null;
  const headed = head === '' || BETWEEN.test(head) ? null : parseUnit(head);
  if (head !== '' && !BETWEEN.test(head) && headed === null) return null;
  const part = LEADING_PART.exec(middle)?.[1] ?? null;
  const rest = middle.replace(LEADING_PART, '').trim();
  const counted =
    parseUnit(rest) ?? (/^(?:match|full game|total)?$/i.test(rest) ? { unit: parseMatchUnit(rest) } : null);
  const unit = headed?.unit ?? counted?.unit ?? (tail === '' ? null : tail.toLowerCase());
  if (counted !== null) return { family: 'total', unit, part, name: null, line: parseNumber(line), other: null };
  // The remaining words are a name. They can be a team only when the names of both teams precede
  // them.
  if (!BETWEEN.test(head) || BETWEEN.test(` ${rest} `)) return null;
  return { family: 'team_total', unit, part, name: rest, line: parseNumber(line), other: null };
}

const parseMatchUnit = (words: string): 'match' | null => (/^match$/i.test(words) ? 'match' : null);

/** "Games Total", "Total Sets": the unit that is counted. Null for other words. */
function parseUnit(words: string): { unit: string } | null {
  const unit =
    /^(?:(?:total|match) (goals|runs|points|games|sets|maps|rounds)|(goal|run|point|game|set|map|round)s? total)$/i.exec(
      words,
    );
  if (!unit) return null;
  const named = (unit[1] ?? unit[2] ?? '').toLowerCase();
  return { unit: named.endsWith('s') ? named : `${named}s` };
}

/**
 * Returns the number of a group title ("O/U 44.5", "Spread -1.5", "England (-1.5)") and the name
 * before it. Null when there is no number.
 */
export function parseGroupTitle(group: string): { name: string; line: number; signed: boolean } | null {
  const match = /^(?:spread\b ?|o\/u\b ?)?(.*?) ?(?:o\/u )?\(?([-+−–]?)(\d+(?:\.\d+)?)\)?$/i.exec(group.trim());
  if (!match) return null;
  const [, name = '', sign = '', digits = ''] = match;
  return { name, line: parseNumber(`${sign}${digits}`), signed: sign !== '' };
}
