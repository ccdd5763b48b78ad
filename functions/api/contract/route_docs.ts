import type { ErrorCode } from '../http/errors.ts';
import type { ResponseName } from './schemas.ts';

/** Chapters of the reference, in order. */
export const tags = {
  Markets: 'Matched questions with the prices of both venues.',
  'Arbitrage and spreads': 'Price gaps between the venues: confirmed arbitrage after fees, and observed spreads.',
  Discovery: 'Values for the filters.',
  Export: 'Whole days as files.',
  Stream: 'Live frames in order and without gaps, over a WebSocket.',
  Agents: 'The API for language models: the Model Context Protocol.',
  Account: 'Your own organization.',
  Webhooks: 'Events as signed POST requests to your server. docs/webhooks.md describes how to verify them.',
  Service: 'The service itself. Needs no key.',
} as const;

/** Texts of a route in the reference. Its parameters come from the validating schemas. */
export type RouteDocs = {
  /** Unique, snake_case. Generated clients use it as the name of the function. */
  id: string;
  tag: keyof typeof tags;
  summary: string;
  description: string;
  /** Responses by status; null: a body without a schema. */
  responses: Readonly<Record<number, ResponseName | null>>;
  /** Schema of a body that the route parses itself. */
  body?: object;
  /** The header `Accept` without which the route refuses a request. */
  accept?: string;
  /** Errors in addition to those of every route. */
  errors?: readonly ErrorCode[];
  /** Reads the REST snapshot: with ETag, X-As-Of and 304. */
  isSnapshot?: boolean;
  /** Needs no key and has an ETag: with 304. */
  isCached?: boolean;
  /** Needs no key and has X-As-Of. */
  hasAsOf?: boolean;
  isDeprecated?: boolean;
};
