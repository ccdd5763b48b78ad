import type { Fields } from '../log.ts';
import { ConnectionFailed, sqlStateOf } from './failure.ts';

/**
 * What a log may say of an error. Postgres quotes what it was given in its messages, and that came from a caller: of what it refused only
 * the SQLSTATE is told, with the names of what it concerns.
 */
export function errorFields(error: unknown): Fields {
  const sqlstate = sqlStateOf(error);
  if (sqlstate !== undefined)
    return { sqlstate, routine: textField(error, 'routine'), constraint: textField(error, 'constraint') };
  if (error instanceof ConnectionFailed)
    return { failed: error.message, sent: error.sent, sqlstate: sqlStateOf(error.cause) };
  return { failed: String(error) };
}

/** The same as words, for a sentence in a log. */
export function describeError(error: unknown): string {
  const told = Object.entries(errorFields(error)).filter(([, value]) => value !== undefined);
  return told.map(([name, value]) => (name === 'failed' ? `${value}` : `${name} ${value}`)).join(', ');
}

function textField(error: unknown, field: string): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}
