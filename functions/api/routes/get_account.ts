import type { Route } from '../app_types.ts';
import { accountDocs } from '../contract/docs.ts';
import { respondAction } from '../respond.ts';

/** The caller's organization: its plan, its limits and where it stands in both, this request counted. Spends the window alone. */
export const getAccount: Route = {
  method: 'GET',
  path: '/v1/account',
  docs: accountDocs,
  handle: (c) => respondAction(c, 'get_account', async () => ({ params: {}, issues: [] })),
};
