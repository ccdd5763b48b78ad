import type { Route } from '../app_types.ts';
import { aboutAccount } from '../contract/docs.ts';
import { answerAct } from '../respond.ts';

/** The caller's organization: its plan, its limits and where it stands in both, this request counted. Spends the window alone. */
export const getAccount: Route = {
  method: 'GET',
  path: '/v1/account',
  about: aboutAccount,
  handle: (c) => answerAct(c, 'get_account', async () => ({ params: {}, issues: [] })),
};
