/** The types of score.mjs, which is next to the labelled worlds and not part of this project. */

export type Truth = {
  label: string;
  grain: string;
  family: string;
  hardness?: string;
  thin?: boolean;
  venue_a: { event_ticker: string; ticker?: string };
  venue_b: { event_slug: string };
};

/** A folder with the listings of both venues and truth.jsonl. */
export type LabelledWorld = { name: string; listings: [unknown[], unknown[]]; truth: Truth[]; dir: string };

/** The counts of one family; `family` is its name. */
export type FamilyScore = { family: string; [count: string]: number | string };

export type Confusion = {
  band: string;
  kind: string;
  family: string;
  hardness?: string;
  venue_a: string;
  title_a?: string;
  venue_b: string;
  title_b?: string;
  leg?: { ticker: string; side: string; outcome: string };
  truth: unknown;
};

export type Score = {
  total: { [count: string]: number };
  families: FamilyScore[];
  unjudged: { any: number; high: number };
  refusals: { truly_different: number; truly_same: number };
  confusions: Confusion[];
  missed: { family: string; pair: string; refused?: string }[];
};

export type Scorer = {
  readListings(dir: string): unknown;
  score(input: { truth: Truth[]; out: unknown[]; listings: unknown; strict: boolean }): Score;
};

export type Counts = Map<string, { of: number; met: number }>;

/** The sum of the scores of several worlds. */
export function sumScores(scores: readonly Score[]): Score {
  const families = new Map<string, FamilyScore>();
  const total: Score = {
    total: {},
    families: [],
    unjudged: { any: 0, high: 0 },
    refusals: { truly_different: 0, truly_same: 0 },
    confusions: scores.flatMap((score) => score.confusions),
    missed: scores.flatMap((score) => score.missed),
  };
  for (const score of scores) {
    for (const one of score.families) {
      const sum = families.get(one.family) ?? { family: one.family };
      for (const [count, value] of Object.entries(one)) {
        if (typeof value !== 'number') continue;
        sum[count] = Number(sum[count] ?? 0) + value;
        total.total[count] = (total.total[count] ?? 0) + value;
      }
      families.set(one.family, sum);
    }
    total.unjudged.any += score.unjudged.any;
    total.unjudged.high += score.unjudged.high;
    total.refusals.truly_different += score.refusals.truly_different;
    total.refusals.truly_same += score.refusals.truly_same;
  }
  total.families = [...families.values()].sort((a, b) => (a.family < b.family ? -1 : 1));
  return total;
}
