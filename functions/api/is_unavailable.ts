import { ConnectionFailed, sqlStateOf } from '../_shared/pool/failure.ts';

// Cancelled by statement_timeout, deadlock and serialization, shutdown and start-up, out of connections, lost connection.
const TRANSIENT_SQLSTATE = /^(57014|40P01|40001|57P0[123]|53\d{3}|08\w{3})$/;

/** Whether the same request may succeed soon, so that it is answered with 503. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ConnectionFailed || TRANSIENT_SQLSTATE.test(sqlStateOf(error) ?? '');
}
