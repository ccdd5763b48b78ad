import type { Fields } from '../log.ts';
import { ConnectionFailed, sqlStateOf } from './failure.ts';

/**
 * Log fields for an error; none for undefined. Messages of Postgres quote values that a caller
 * sent, so an error of the server is logged as its SQLSTATE with the names of the routine and the
 * constraint only.
 */
export function errorFields(error: unknown): Fields {
  if (error === undefined) return {};
  const sqlstate = sqlStateOf(error);
  if (sqlstate !== undefined)
    return { sqlstate, routine: textField(error, 'routine'), constraint: textField(error, 'constraint') };
  if (error instanceof ConnectionFailed)
    return { failed: error.message, sent: error.sent, sqlstate: sqlStateOf(error.cause) };
  return { failed: String(error) };
}

/** The same as text, for a sentence in a log. */
export function describeError(error: unknown): string {
  const fields = Object.entries(errorFields(error)).filter(([, value]) => value !== undefined);
  return fields.map(([name, value]) => (name === 'failed' ? `${value}` : `${name} ${value}`)).join(', ');
}

function textField(error: unknown, field: string): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}
