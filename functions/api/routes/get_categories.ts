import { answerData } from '../answer.ts';
import type { Route } from '../environment.ts';

/** Which categories, market types and contexts there are, to ask /v2/markets for. It takes no parameters. */
export const getCategories: Route = {
  method: 'GET',
  path: '/v2/categories',
  handle: (c) => answerData(c, 'get_categories', () => ({ params: {}, issues: [] })),
};
