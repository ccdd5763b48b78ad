// The histories of npm test with more steps: see tests/support/runs.ts.
import './concurrent.db.test.ts';
import './replayed_state.db.test.ts';
