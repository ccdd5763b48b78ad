/**
 * How often a property or a model runs: `normal` times in npm test. The slow layer runs the same
 * tests with TEST_RUNS times as many (`more_runs.slow.test.ts` of a folder).
 */
export const runs = (normal: number): number => Math.round(normal * Number(process.env.TEST_RUNS ?? 1));

/** Whether the slow layer runs the file: then also what takes seconds of real time. */
export const isSlowLayer = process.env.TEST_RUNS !== undefined;
