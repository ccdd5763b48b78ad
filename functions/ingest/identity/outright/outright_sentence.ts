import { clean } from '../text/text.ts';

/** A parsed Yes/No question: the runner, and what is asked ("win the 2026 FA Cup"). */
export type ParsedOutright = { runner: string; asks: string };

const VERBS =
  'wins?|be|is|are|becomes?|has|have|finish(?:es)?|leads?|makes?|clinch(?:es)?|places?|hits?|scores?|takes?|records?|' +
  'qualif(?:y|ies)|advances?|reach(?:es)?|gets?|earns?|captures?|claims?';
const QUESTION = new RegExp(`^(?:(.{3,60}): )?will (?:the )?(.+?) (${VERBS})\\b\\s*(.*?)\\s*\\??$`, 'i');
const STATEMENT = new RegExp(`^(if )?(?:the )?(.+?) (${VERBS})\\b\\s*(.*?)(?:, this market .*)?\\.?$`, 'i');
const FROM = /^a (?:team|player|nation|country|club) from (.+)$/i;

/**
 * Parses "Will the Chargers win the AFC West?", "PGA Championship: Will Aaron Rai finish top 20?",
 * "Luke Littler wins the World Championship." or "If the Miami Dolphins are the AFC East Champion,
 * this market will settle to Yes." Null for any other sentence.
 */
export function parseOutright(sentence: string | null): ParsedOutright | null {
  const text = clean(sentence);
  if (text === null) return null;
  const question = QUESTION.exec(text);
  const statement = question === null && !text.endsWith('?') ? STATEMENT.exec(text) : null;
  const parts = question
    ? { about: question[1] ?? '', runner: question[2] ?? '', verb: question[3] ?? '', rest: question[4] ?? '' }
    : statement
      ? { about: '', runner: statement[2] ?? '', verb: statement[3] ?? '', rest: statement[4] ?? '' }
      : null;
  if (parts === null || parts.runner === '') return null;
  // "A team from Europe" asks about Europe, which is another question than the win of one team.
  const from = FROM.exec(parts.runner);
  const verb = infinitiveOf(parts.verb.toLowerCase());
  const asks = [parts.about, from ? 'region' : '', verb, parts.rest].filter((one) => one !== '').join(' ');
  return { runner: from?.[1] ?? parts.runner, asks };
}

/**
 * Returns one form of a verb for both kinds of sentences: "wins" is "win", "qualifies" is
 * "qualify".
 */
function infinitiveOf(verb: string): string {
  if (verb === 'has' || verb === 'is') return verb === 'has' ? 'have' : 'be';
  if (verb.endsWith('ies')) return `${verb.slice(0, -3)}y`;
  if (/(?:sh|ch)es$/.test(verb)) return verb.slice(0, -2);
  return verb.length > 3 && verb.endsWith('s') ? verb.slice(0, -1) : verb;
}
