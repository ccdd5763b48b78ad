/** A refusal of the service: its sentence is shown, its code decides. `field` of a form is what it is about, where it is about one. */
export class RpcError extends Error {
  readonly code: string;
  readonly field: string | undefined;
  constructor(code: string, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

type Fault = { code?: string; message?: string };

/** What went wrong, in a sentence that a person can act on. */
export function toRpcError(fault: Fault, status: number): RpcError {
  const code = fault.code ?? '';
  if (status === 0) return new RpcError('network', 'No answer. Look at your connection, then try again.');
  if (status === 401 || code.startsWith('PGRST30')) {
    return new RpcError('session.expired', 'Your session has ended. Sign in again.');
  }
  if (status >= 500) return new RpcError('internal', 'The service could not do this now. Try again in a moment.');
  return new RpcError(code, fault.message || 'This was refused.');
}
