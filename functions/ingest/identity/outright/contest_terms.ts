import type { Json } from '../../listing.ts';
import { splitSentences } from '../terms/terms_clauses.ts';
import { parseDate } from '../text/eastern.ts';

/**
 * How the text of a contract settles an election, an award, a chart or spoken words
 * (sql/3365_catalog_contest_risks.sql compares both venues). A term that the text does not mention
 * is absent. Silence is not agreement.
 */

export type ContestKind = 'election' | 'award' | 'chart' | 'mention' | 'list';

/** Characters of a text that are read. Recorded texts have about 4,000. */
const MAX_TEXT_LENGTH = 12_000;

type Reader = (sentences: readonly string[]) => string | null;

/** The first value whose pattern any sentence matches. */
const firstOf =
  (...values: readonly (readonly [RegExp, string])[]): Reader =>
  (sentences) =>
    values.find(([pattern]) => sentences.some((sentence) => pattern.test(sentence)))?.[1] ?? null;

const CALLS =
  /\b(?:AP|Associated Press|Fox News|NBC|ABC|CBS|CNN|Decision Desk|news (?:outlets|organi[sz]ations|sources)|networks?)\b.{0,120}\b(?:calls?|called|calling|projects?|projected|declares?)\b|\b(?:calls?|called|projects?|projected)\b.{0,80}\b(?:AP|Associated Press|Fox News|NBC|networks?)\b|\bresolution sources? .{0,60}\bAssociated Press\b/i;
const CERTIFIES = /\bcertif(?:y|ies|ied|ication)\b|\bofficial(?:ly)? (?:results?|announced|declared)\b/i;
const TAKES_OFFICE =
  /\b(?:sworn in|swearing|inaugurat(?:ed|ion)|takes? (?:the )?office|assumes? (?:the )?office|oath of office)\b/i;

/** Who decides an election. A text that names several steps names all of them, in their order. */
const decidedBy: Reader = (sentences) => {
  const named = (
    [
      ['called', CALLS],
      ['certified', CERTIFIES],
      ['in_office', TAKES_OFFICE],
    ] as const
  ).filter(([, pattern]) => sentences.some((sentence) => pattern.test(sentence)));
  return named.length === 0 ? null : named.map(([value]) => value).join('+');
};

const DEADLINE_CASE =
  /\b(?:if|unless|in the event)\b.{0,200}\b(?:not|no|never|isn['’]t)\b.{0,120}\bby\b|\b(?:not|no|never)\b.{0,120}\bby\b.{0,120}\bresolv/i;

/** The last day for a result, YYYY-MM-DD: "if no nominee is announced by December 31, 2026". */
const deadline: Reader = (sentences) => {
  for (const sentence of sentences) {
    if (!DEADLINE_CASE.test(sentence)) continue;
    const by = /\bby\b(.*)$/i.exec(sentence)?.[1] ?? '';
    const day = parseDate(by, null);
    if (day !== null) return day;
  }
  return null;
};

const CUT_OFF = /\b(\d{1,2})(?::(\d{2}))? ?([AP])\.?M\.?,? (?:ET|EST|EDT|Eastern)\b/i;

/** The clock time at which a chart is read, such as `15:00 ET`. */
const cutOff: Reader = (sentences) => {
  const found = sentences.map((sentence) => CUT_OFF.exec(sentence)).find((one) => one !== null);
  if (!found) return null;
  const hour = (Number(found[1]) % 12) + (found[3]?.toUpperCase() === 'P' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${found[2] ?? '00'} ET`;
};

const CANCELLED =
  /\b(?:cancel|does not (?:occur|take place|air)|not (?:held|aired|broadcast)|never (?:held|takes place)|(?:event|ceremony|briefing|speech|remarks) (?:is|are) (?:not|post))/i;
const pays = (one: RegExp): Reader => {
  const resolves = firstOf(
    [/\blast[- ](?:fair|traded|market) .{0,20}price\b|\bfair (?:market )?(?:price|value)\b/i, 'fair_price'],
    [/\b50\s?[-–/]\s?50\b|\b50 cents\b/i, 'split'],
    [/\bresolv\w*[^.;]{0,40}["“']?\bother\b/i, 'other'],
    [/\b(?:resolv|settl)\w*[^.;]{0,40}["“']?\bno\b/i, 'no'],
    [/\bremains? open\b|\bextend/i, 'waits'],
  );
  return (sentences) => {
    const about = sentences.filter((sentence) => one.test(sentence));
    return about.length === 0 ? null : (resolves(about) ?? 'named');
  };
};

const SOURCES: Reader = firstOf(
  [/\bbillboard(?:\.com| charts?|'s)?\b/i, 'billboard'],
  [/\bspotify\b/i, 'spotify'],
  [/\brotten ?tomatoes\b/i, 'rotten_tomatoes'],
  [/\bnetflix\b/i, 'netflix'],
  [/\bapple music\b/i, 'apple_music'],
  [/\bbox office mojo\b/i, 'box_office_mojo'],
  [/\bthe numbers\b/i, 'the_numbers'],
  [/\bluminate\b/i, 'luminate'],
);

const OTHER: Reader = firstOf([/["“'‘]other["”'’]|\bany other (?:candidate|nominee|person|party|outcome)\b/i, 'named']);

const READERS: { readonly [kind in ContestKind]: { readonly [term: string]: Reader } } = {
  election: {
    decided_by: decidedBy,
    recount: firstOf([/\brecounts?\b/i, 'named']),
    runoff: firstOf(
      [
        /\b(?:exclud|not includ|regardless of|first round (?:only|alone))[^.;]{0,60}\brun-?offs?\b|\bfirst round\b/i,
        'first_round',
      ],
      [
        /\b(?:inclusive of|includ\w*|after|following|subsequent)\b[^.;]{0,40}\b(?:run-?offs?|second rounds?)\b/i,
        'included',
      ],
      [/\brun-?offs?\b|\bsecond rounds?\b/i, 'named'],
    ),
    special: firstOf(
      [/\bspecial (?:general |primary )?elections?\b/i, 'special'],
      [/\bmidterm\b|\bgeneral election\b/i, 'regular'],
    ),
    withdrawal: pays(
      /\b(?:withdraw\w*|drops? out|dropped out|replac\w*|removed from the ballot|disqualif\w*|ineligible)\b/i,
    ),
    affiliation: firstOf(
      [/\bcaucus\w*\b/i, 'caucus'],
      [/\bnominee of the (?:party|Democratic|Republican)|\brepresent a party\b|\bnominated by\b/i, 'nominee'],
      [/\brepresentative of the\b|\bmember of the\b|\baffiliat/i, 'member'],
    ),
    deadline,
    other: OTHER,
  },
  award: { deadline, cancelled: pays(CANCELLED), other: OTHER },
  chart: {
    source: SOURCES,
    cut_off: cutOff,
    revisions: firstOf(
      [
        /\b(?:revis\w*|correct\w*|updat\w*|chang\w*|alter\w*)\b[^.;]{0,80}\b(?:not|no|ignored|disregarded)\b/i,
        'ignored',
      ],
      [/\b(?:revis\w*|correct(?:ed|ion)s?)\b/i, 'latest'],
    ),
    deadline,
    other: OTHER,
  },
  mention: {
    forms: firstOf(
      [/\bplural\b[^.]{0,60}\bpossessive\b|\bpossessive\b[^.]{0,60}\bplural\b/i, 'plural_and_possessive'],
      [/\bexact (?:word|phrase|term|form)s?\b/i, 'exact'],
      [/\b(?:inflections?|conjugat\w*|tenses?|other forms)\b/i, 'named'],
    ),
    compound: firstOf(
      [/\bcompound\b[^.]{0,60}\b(?:not|exclud\w*)\b|\bnot\b[^.]{0,60}\bcompound\b/i, 'excluded'],
      [/\bcompound\b/i, 'included'],
    ),
    transcript: firstOf(
      [/\bvideos?\b[^.]{0,120}\btranscripts?\b|\btranscripts?\b[^.]{0,120}\bvideos?\b/i, 'video_then_transcript'],
      [/\bvideos?\b|\blive ?stream\b|\bbroadcast\b/i, 'video'],
      [/\btranscripts?\b/i, 'transcript'],
    ),
    cancelled: pays(CANCELLED),
    deadline,
  },
  list: { deadline, other: OTHER },
};

/** Returns the terms of a contract: its kind, and each term that its text states. */
export function contestTerms(kind: ContestKind, rules: string | null): { [term: string]: Json } {
  const sentences = rules === null ? [] : splitSentences(rules.slice(0, MAX_TEXT_LENGTH));
  const terms: { [term: string]: Json } = { kind };
  for (const [term, reader] of Object.entries(READERS[kind])) {
    const value = reader(sentences);
    if (value !== null) terms[term] = value;
  }
  return terms;
}
