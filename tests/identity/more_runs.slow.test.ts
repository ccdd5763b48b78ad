// The generated listings of npm test with more runs: see tests/support/runs.ts.
import '../engine/opportunity.properties.test.ts';
import './ladder_attack.test.ts';
import './lines_orientation.test.ts';
