import { cleanText } from '../../functions/_shared/log.ts';
import { describeError } from '../../functions/_shared/pool/error_fields.ts';
import { sqlStateOf } from '../../functions/_shared/pool/failure.ts';

/**
 * Something the person at the terminal can put right: the message is one whole sentence (or two) that says what is wrong and
 * what to do. The start script prints it without a stack trace and exits 1; any other error is a defect and keeps its trace.
 */
export class UserError extends Error {
  override name = 'PlainFailure';
}

/** The `code` of a Node system error or of a Postgres error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** A short text for a log line, whatever was thrown. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorText(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

/**
 * What a service of this machine writes of an error into its log, by the rules of the functions' own logs: of what Postgres refused the
 * SQLSTATE (its words quote what a caller gave), else the trace without keys, tickets and queries.
 */
export function toLogText(error: unknown): string {
  if (sqlStateOf(error) !== undefined) return describeError(error);
  return cleanText(error instanceof Error ? (error.stack ?? String(error)) : String(error));
}
