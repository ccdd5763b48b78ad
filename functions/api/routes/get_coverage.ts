import { answerData } from '../answer.ts';
import { aboutCoverage } from '../contract/about.ts';
import type { Route } from '../environment.ts';

/** The coverage census: every series of venue_a with its state, and the games of venue_b that have no counterpart. Hourly. */
export const getCoverage: Route = {
  method: 'GET',
  path: '/v2/coverage',
  about: aboutCoverage,
  handle: (c) => answerData(c, 'get_coverage', () => ({ params: {}, issues: [] })),
};
