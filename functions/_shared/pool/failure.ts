/**
 * The database gave no answer: it is unreachable, the connection broke, or the deadline passed. `sent` false: the query was never sent and
 * had no effect. `sent` true: the query may have been sent, so its effect is unknown.
 */
export class ConnectionFailed extends Error {
  readonly sent: boolean;

  constructor(why: string, options: { sent: boolean; cause?: unknown }) {
    super(why, { cause: options.cause });
    this.name = 'NoAnswer';
    this.sent = options.sent;
  }
}

/** The SQLSTATE of what the server itself refused. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
