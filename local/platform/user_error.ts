import { cleanText } from '../../functions/_shared/log.ts';
import { describeError } from '../../functions/_shared/pool/error_fields.ts';
import { sqlStateOf } from '../../functions/_shared/pool/failure.ts';

/**
 * An error that the user of the terminal can fix. The message states what is wrong and what to do.
 * The start script prints it without a stack trace and exits 1; any other error is a defect and
 * keeps its trace.
 */
export class UserError extends Error {
  override name = 'UserError';
}

/** The `code` of a Node system error or of a Postgres error, or undefined. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Whether a write failed because the disk, or the user's quota on it, is used up. */
export function isDiskFull(error: unknown): boolean {
  // 53100 is the SQLSTATE disk_full.
  return ['ENOSPC', 'EDQUOT', '53100'].includes(errorCode(error) ?? '');
}

/** A short text for a log line, for any thrown value. */
export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return errorText(error.errors[0]);
  return error instanceof Error ? error.message || error.name : String(error);
}

/**
 * The text of an error in the log of a local service, by the rules of the functions' logs: for a
 * Postgres error the SQLSTATE (its message may quote a caller's values), else the stack trace
 * without keys, tickets and query strings.
 */
export function toLogText(error: unknown): string {
  if (sqlStateOf(error) !== undefined) return describeError(error);
  return cleanText(error instanceof Error ? (error.stack ?? String(error)) : String(error));
}
