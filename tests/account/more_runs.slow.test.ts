// The model of npm test with more schedules: see tests/support/runs.ts.
import './lease_model.db.test.ts';
import './crash.system.test.ts';
