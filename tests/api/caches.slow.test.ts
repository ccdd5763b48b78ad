// The tests of npm test, and those that take seconds of real time: see tests/support/runs.ts.
import './cdn.system.test.ts';
import './replica.system.test.ts';
