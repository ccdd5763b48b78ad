import { folderOf, type Mutant } from './mutant.ts';

/** `invalid`: the change is no program. `undecided`: there was no time for a result. */
export type Verdict = { state: 'noticed' | 'survived' | 'invalid' | 'undecided'; by: string };
export type Result = { mutant: Mutant; verdict: Verdict; seconds: number; name: string | null };
export type Score = { folder: string; noticed: number; survived: number; rest: number };

/** The score of each folder, and of the handwritten mistakes. */
export function scoresOf(results: readonly Result[]): Score[] {
  const scores = new Map<string, Score>();
  for (const { mutant, verdict, name } of results) {
    const folder = name === null ? folderOf(mutant.file) : 'handwritten';
    const score = scores.get(folder) ?? { folder, noticed: 0, survived: 0, rest: 0 };
    scores.set(folder, score);
    if (verdict.state === 'noticed') score.noticed += 1;
    else if (verdict.state === 'survived') score.survived += 1;
    else score.rest += 1;
  }
  return [...scores.values()].sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

export const total = (scores: readonly Score[]): Score => ({
  folder: 'all',
  noticed: scores.reduce((sum, { noticed }) => sum + noticed, 0),
  survived: scores.reduce((sum, { survived }) => sum + survived, 0),
  rest: scores.reduce((sum, { rest }) => sum + rest, 0),
});

export const shareOf = ({ noticed, survived }: Score): number =>
  noticed + survived === 0 ? 1 : noticed / (noticed + survived);

/** The tests must notice this share of the mutants. */
export const LEAST = 0.85;

/**
 * The ends of the 95 % interval (Wilson) of the share of all mutants, of which these are a sample.
 * The error of a hundred is seven points, so a sample proves that a share is too small only where
 * the upper end is.
 */
export function intervalOf(score: Score): [low: number, high: number] {
  const count = score.noticed + score.survived;
  if (count === 0) return [0, 1];
  const z = 1.96;
  const share = shareOf(score);
  const center = share + z ** 2 / (2 * count);
  const spread = z * Math.sqrt((share * (1 - share)) / count + (z / (2 * count)) ** 2);
  const scale = 1 + z ** 2 / count;
  return [(center - spread) / scale, (center + spread) / scale];
}

export function printScores(scores: readonly Score[], print: (line: string) => void): void {
  for (const score of [...scores, total(scores)]) {
    const { folder, noticed, survived, rest } = score;
    const without = rest > 0 ? `, ${rest} without a result` : '';
    print(
      `${(100 * shareOf(score)).toFixed(0).padStart(4)} %  ${folder}: ${noticed} of ${noticed + survived} noticed${without}`,
    );
  }
  const [low, high] = intervalOf(total(scores)).map((end) => (100 * end).toFixed(0));
  print(`With 95 % certainty, the tests notice ${low} to ${high} % of all such mistakes.`);
}
