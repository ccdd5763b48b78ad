/** Stryker mutates these files and runs the unit tests that load them: `npm run mutants`. */
export default {
  packageManager: 'npm',
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'tests/mutants/vitest.config.ts', related: true },
  mutate: [
    'functions/ingest/engine/*.ts',
    'functions/ingest/books/*.ts',
    'functions/ingest/identity/text/*.ts',
    'functions/api/http/keys.ts',
  ],
  // TypeScript 7 has no JavaScript API, which Stryker needs to rewrite the paths of a tsconfig.
  tsconfigFile: 'none',
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  // The tests check codes and numbers. They do not check the text of messages.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['/supabase', '/docs', '/dashboard/dist', '/test-results', '/.data', '/soak-report'],
  incremental: true,
  incrementalFile: 'test-results/mutants/incremental.json',
  tempDirName: 'test-results/mutants/tmp',
  reporters: ['clear-text', 'json'],
  jsonReporter: { fileName: 'test-results/mutants/stryker.json' },
  clearTextReporter: { allowColor: false, logTests: false },
  concurrency: 2,
  timeoutMS: 10_000,
  allowConsoleColors: false,
};
