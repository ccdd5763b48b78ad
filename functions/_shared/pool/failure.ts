/**
 * The database did not answer: it is unreachable, the connection broke, or the deadline passed.
 * `sent: false`: the query was not sent and had no effect. `sent: true`: the query may have been
 * sent, so its effect is unknown.
 */
export class ConnectionFailed extends Error {
  readonly sent: boolean;

  constructor(message: string, options: { sent: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'ConnectionFailed';
    this.sent = options.sent;
  }
}

/** SQLSTATE of an error that the server reported; undefined for any other error. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
