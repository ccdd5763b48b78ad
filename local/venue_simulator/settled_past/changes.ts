import type { ContractA, Question } from '../universe/question.ts';

/** Differences of the past that a test asks for, by series of venue A. */
export type PastChanges = {
  /** So many occasions settle differently on the two venues. */
  divergences: ReadonlyMap<string, number>;
  /** The listings that began more than so many days before the base time have another text. */
  changedTexts: ReadonlyMap<string, number>;
};

export const NO_CHANGES: PastChanges = { divergences: new Map(), changedTexts: new Map() };

/** "KXNFLGAME:3,KXEPLGAME:1" */
export function parseChanges(option: string, text: string | undefined): Map<string, number> {
  const rows = (text ?? '').split(',').filter((row) => row !== '');
  return new Map(
    rows.map((row) => {
      const match = /^([A-Z0-9]+):(\d+)$/.exec(row.trim());
      if (!match) throw new Error(`${option} must be SERIES:NUMBER, separated by commas, not "${row}"`);
      return [match[1] as string, Number(match[2])];
    }),
  );
}

/** The question with another winner on venue A. */
export function withOtherWinnerOnA(question: Question): Question {
  const { a } = question;
  if (!a) return question;
  const exclusive = a.fields.mutually_exclusive === true;
  const opposite = ({ pays }: ContractA) => (pays === 'yes' ? 'no' : 'yes');
  const contracts = a.contracts.map((contract, i) => {
    // Of exclusive contracts one pays: the next one after the winner.
    const pays = exclusive ? (a.contracts.at(i - 1)?.pays ?? 'no') : opposite(contract);
    return { ...contract, pays };
  });
  const winner = contracts.find(({ pays }) => pays === 'yes');
  const stated = exclusive && winner ? String(winner.fields.yes_sub_title) : '';
  return { ...question, a: { ...a, contracts: contracts.map((one) => ({ ...one, expirationValue: stated })) } };
}

/**
 * The same question with the text that venue A had before it changed its rules: it waited for half
 * the time. A text that states no time gets one more sentence.
 */
export function withEarlierText(question: Question): Question {
  const { a } = question;
  if (!a) return question;
  const contracts = a.contracts.map((contract) => {
    const text = String(contract.fields.rules_secondary);
    const earlier = EARLIER_TIMES.reduce((words, [now, then]) => words.replaceAll(now, then), text);
    const rules_secondary = earlier === text ? `${text}\n\n${EARLIER_SENTENCE}`.trim() : earlier;
    return { ...contract, fields: { ...contract.fields, rules_secondary } };
  });
  return { ...question, a: { ...a, contracts } };
}

const EARLIER_TIMES = [
  ['48 hours', '24 hours'],
  ['two days', 'one day'],
  ['2 days', '1 day'],
  ['two weeks', 'one week'],
] as const;
const EARLIER_SENTENCE = 'Revisions made after the first report will be considered.';
