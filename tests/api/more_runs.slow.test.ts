// The generated requests of npm test with more runs: see tests/support/runs.ts.
import '../mcp/bad_input.db.test.ts';
import './get_markets.error.db.test.ts';
import './get_search.error.db.test.ts';
import './get_spreads.error.db.test.ts';
