import type { Context } from 'hono';
import type { AnswerCache } from './cache.ts';
import type { Database } from './database.ts';

export const apiVersion = '2.0.0';

/** What routes share within one isolate. */
export type Services = { database: Database; cache: AnswerCache; feedSource: string | undefined };

export type AppEnv = { Variables: { requestId: string; services: Services } };

/** One path and method. HEAD comes with GET. `open`: answers without a key. */
export type Route = {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  open?: boolean;
  handle(c: Context<AppEnv>): Response | Promise<Response>;
};
