// The worlds of npm test and two more: see tests/support/runs.ts.
import './simulated.db.test.ts';
