/**
 * An error of an RPC or of the REST API: a message for the user, a stable code, and the form field
 * if any.
 */
export class RpcError extends Error {
  readonly code: string;
  readonly field: string | undefined;
  constructor(code: string, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

type ErrorBody = { code?: string; message?: string };

/** Converts an error response. A 5xx message may contain internals, so it is replaced. */
export function toRpcError(body: ErrorBody, status: number): RpcError {
  const code = body.code ?? '';
  if (status === 0) {
    return new RpcError('network', 'The service did not respond. Check your connection, then try again.');
  }
  if (status === 401 || code.startsWith('PGRST30')) {
    return new RpcError('session.expired', 'Your session has expired. Sign in again.');
  }
  if (status >= 500) return new RpcError('internal', 'The service failed. Try again in a moment.');
  return new RpcError(code, body.message || 'The service rejected the request.');
}
