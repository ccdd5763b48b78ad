import type { Route } from '../app_types.ts';
import { categoriesDocs } from '../contract/docs.ts';
import { respondData } from '../respond.ts';

/** Which categories, market types and contexts there are, to ask /v2/markets for. It takes no parameters. */
export const getCategories: Route = {
  method: 'GET',
  path: '/v2/categories',
  docs: categoriesDocs,
  handle: (c) => respondData(c, 'get_categories', () => ({ params: {}, issues: [] })),
};
