// Prints the last line of a CI run from vitest's JSON report: "N passed, N failed, N skipped".
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// A file that fails to load has no test of its own; it counts as one failure.
const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
const failed = report.numFailedTests + unloaded.length;
console.log(
  `${report.numPassedTests} passed, ${failed} failed, ${report.numPendingTests + report.numTodoTests} skipped`,
);
