// The models of npm test with more histories: see tests/support/runs.ts.
import './endpoint_model.db.test.ts';
import './trigger_model.db.test.ts';
