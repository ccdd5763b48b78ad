import type { Route } from '../app_types.ts';
import { accountDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';

/**
 * Plan, limits and use of the caller's organization, this request included. Counts in the window
 * only.
 */
export const getAccount: Route = {
  method: 'GET',
  path: '/v1/account',
  docs: accountDocs,
  handle: (c) => respondAction(c, 'get_account', async () => ({ params: {}, issues: [] })),
};
