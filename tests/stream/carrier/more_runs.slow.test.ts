// The kills of npm test, more often: see tests/support/runs.ts.
import './redis.system.test.ts';
import './relay.system.test.ts';
