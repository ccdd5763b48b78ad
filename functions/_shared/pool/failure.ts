/**
 * The database gave no answer: it is away, the connection broke, or the time was over. `sent` false: the query never left, so nothing
 * can have come of it. `sent` true: it was under way, and nobody can tell whether it was carried out.
 */
export class NoAnswer extends Error {
  readonly sent: boolean;

  constructor(why: string, options: { sent: boolean; cause?: unknown }) {
    super(why, { cause: options.cause });
    this.name = 'NoAnswer';
    this.sent = options.sent;
  }
}

/** The query was under way when its time was over: whoever else holds a connection of that age may wait in vain, too. */
export class TooLate extends NoAnswer {}

// Cancelled by statement_timeout, deadlock and serialization, shutdown and start-up, out of connections, lost connection.
const passing = /^(57014|40P01|40001|57P0[123]|53\d{3}|08\w{3})$/;

/** Whether trying again soon may help. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof NoAnswer || passing.test(sqlStateOf(error) ?? '');
}

/** The SQLSTATE of what the server itself refused. */
export function sqlStateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return String(error.code);
}
