import type { ErrorCode } from '../http/errors.ts';
import type { ResponseName } from './schemas.ts';

/** The reference’s chapters, in its order. */
export const tags = {
  Markets: 'Matched questions with both venues’ prices.',
  'Arbitrage and spreads': 'Where the venues disagree: after fees and confirmed, or merely observed.',
  Discovery: 'What there is to ask for.',
  Stream: 'Live, in order and without gaps, over a WebSocket.',
  Agents: 'The same for language models: the Model Context Protocol.',
  Account: 'Your own organization.',
  Webhooks: 'Signed POSTs to your server when something happens. How to verify them: docs/webhooks.md.',
  Service: 'The service itself. Needs no key.',
} as const;

/** What the reference says of a route; its parameters come from the schemas that validate them. */
export type RouteDocs = {
  /** Unique, snake_case: generated clients name their functions by it. */
  id: string;
  tag: keyof typeof tags;
  summary: string;
  description: string;
  /** What it answers by status; null: a body that is told in words alone. */
  responses: Readonly<Record<number, ResponseName | null>>;
  /** Errors of its own, beside those that every route has. */
  errors?: readonly ErrorCode[];
  /** Answers from the snapshot: with ETag, X-As-Of and 304. */
  isSnapshot?: boolean;
  isDeprecated?: boolean;
};
