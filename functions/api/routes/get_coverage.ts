import type { Route } from '../app_types.ts';
import { aboutCoverage } from '../contract/docs.ts';
import { answerData } from '../respond.ts';

/** The coverage census: every series of venue_a with its state, and the games of venue_b that have no counterpart. Hourly. */
export const getCoverage: Route = {
  method: 'GET',
  path: '/v2/coverage',
  about: aboutCoverage,
  handle: (c) => answerData(c, 'get_coverage', () => ({ params: {}, issues: [] })),
};
