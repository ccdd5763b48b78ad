// The campaigns of npm test with more cases: see tests/support/runs.ts.
import './books.test.ts';
import './listings.test.ts';
import './money.test.ts';
import './texts.test.ts';
