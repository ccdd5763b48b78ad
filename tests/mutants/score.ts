import { folderOf, type Mutant } from './mutant.ts';

/** `invalid`: the change is no program. `undecided`: there was no time for a result. */
export type Verdict = { state: 'noticed' | 'survived' | 'invalid' | 'undecided'; by: string };
export type Result = { mutant: Mutant; verdict: Verdict; seconds: number; name: string | null };
export type Score = { folder: string; noticed: number; survived: number; rest: number };

const HANDWRITTEN = 'handwritten';

/** The score of each folder, and of the handwritten mistakes. */
export function scoresOf(results: readonly Result[]): Score[] {
  const scores = new Map<string, Score>();
  for (const { mutant, verdict, name } of results) {
    const folder = name === null ? folderOf(mutant.file) : HANDWRITTEN;
    const score = scores.get(folder) ?? { folder, noticed: 0, survived: 0, rest: 0 };
    scores.set(folder, score);
    if (verdict.state === 'noticed') score.noticed += 1;
    else if (verdict.state === 'survived') score.survived += 1;
    else score.rest += 1;
  }
  return [...scores.values()].sort((one, other) => (one.folder < other.folder ? -1 : 1));
}

/** All of the sample, without the handwritten mistakes. */
export function sampleScore(scores: readonly Score[]): Score {
  const sample = scores.filter(({ folder }) => folder !== HANDWRITTEN);
  return {
    folder: 'the sample',
    noticed: sample.reduce((sum, { noticed }) => sum + noticed, 0),
    survived: sample.reduce((sum, { survived }) => sum + survived, 0),
    rest: sample.reduce((sum, { rest }) => sum + rest, 0),
  };
}

export const shareOf = ({ noticed, survived }: Score): number =>
  noticed + survived === 0 ? 1 : noticed / (noticed + survived);

/**
 * The tests must notice this share of a sample. They notice about two thirds (2026-11-29), and of
 * 31 survivors that a person read a third changed nothing that a caller can see.
 */
const LEAST = 0.6;

/**
 * Whether a handwritten mistake survived, or the sample proves that the tests notice less than
 * LEAST of all mutants.
 */
export function isTooLow(scores: readonly Score[]): boolean {
  const written = scores.find(({ folder }) => folder === HANDWRITTEN)?.survived ?? 0;
  return written > 0 || intervalOf(sampleScore(scores))[1] < LEAST;
}

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
  const percent = (share: number): string => (100 * share).toFixed(0);
  const all = sampleScore(scores);
  for (const score of [...scores, all]) {
    const { folder, noticed, survived, rest } = score;
    const without = rest > 0 ? `, ${rest} without a result` : '';
    print(`${percent(shareOf(score)).padStart(4)} %  ${folder}: ${noticed} of ${noticed + survived} noticed${without}`);
  }
  const [low, high] = intervalOf(all).map(percent);
  print(`With 95 % certainty, the tests notice ${low} to ${high} % of all mutants.`);
}
