import type { Route } from '../app_types.ts';
import { aboutCategories } from '../contract/docs.ts';
import { answerData } from '../respond.ts';

/** Which categories, market types and contexts there are, to ask /v2/markets for. It takes no parameters. */
export const getCategories: Route = {
  method: 'GET',
  path: '/v2/categories',
  about: aboutCategories,
  handle: (c) => answerData(c, 'get_categories', () => ({ params: {}, issues: [] })),
};
