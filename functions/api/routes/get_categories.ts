import type { Route } from '../app_types.ts';
import { categoriesDocs } from '../contract/docs.ts';
import { respondData } from '../respond.ts';

/**
 * Lists the categories, market types and contexts that the filters of /v2/markets take. No
 * parameters.
 */
export const getCategories: Route = {
  method: 'GET',
  path: '/v2/categories',
  docs: categoriesDocs,
  handle: (c) => respondData(c, 'get_categories', () => ({ params: {}, issues: [] })),
};
