import { ConnectionFailed, sqlStateOf } from '../_shared/pool/failure.ts';

// statement_timeout, deadlock, serialization failure, shutdown, start-up, out of resources, lost
// connection.
const TRANSIENT_SQLSTATE = /^(57014|40P01|40001|57P0[123]|53\d{3}|08\w{3})$/;

/** Whether the same request may succeed soon. The API then answers 503. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ConnectionFailed || TRANSIENT_SQLSTATE.test(sqlStateOf(error) ?? '');
}
