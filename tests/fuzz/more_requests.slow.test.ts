// The campaigns of npm test with more cases: see tests/support/runs.ts.
import './dashboard_rpc.db.test.ts';
import './entry_points.db.test.ts';
import './mcp.db.test.ts';
