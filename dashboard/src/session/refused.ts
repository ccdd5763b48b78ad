/** A refusal of the service: its sentence is shown, its code decides. `field` of a form is what it is about, where it is about one. */
export class Refused extends Error {
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
export function refusedBy(fault: Fault, status: number): Refused {
  const code = fault.code ?? '';
  if (status === 0) return new Refused('network', 'No answer. Look at your connection, then try again.');
  if (status === 401 || code.startsWith('PGRST30')) {
    return new Refused('session.expired', 'Your session has ended. Sign in again.');
  }
  if (status >= 500) return new Refused('internal', 'The service could not do this now. Try again in a moment.');
  return new Refused(code, fault.message || 'This was refused.');
}
