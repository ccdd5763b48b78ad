// The kills of npm test, more often: see tests/support/runs.ts.
import './functions.system.test.ts';
