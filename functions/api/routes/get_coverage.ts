import type { Route } from '../app_types.ts';
import { coverageDocs } from '../contract/docs.ts';
import { respondData } from '../respond.ts';

/**
 * The hourly coverage census: every series of venue_a with its state, and the games of venue_b
 * without a pair.
 */
export const getCoverage: Route = {
  method: 'GET',
  path: '/v2/coverage',
  docs: coverageDocs,
  handle: (c) => respondData(c, 'get_coverage', () => ({ params: {}, issues: [] })),
};
