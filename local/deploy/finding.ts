/**
 * The result of one check. `unknown`: only the hosted project can answer it; the message states
 * what to check there.
 */
export type Finding = { subject: string; state: 'ok' | 'wrong' | 'unknown'; message: string };

export const ok = (subject: string, message: string): Finding => ({ subject, state: 'ok', message });
export const unknown = (subject: string, message: string): Finding => ({ subject, state: 'unknown', message });

/** Wrong with the errors as message, or ok with `message`. */
export function checkResult(subject: string, errors: string[], message: string): Finding {
  return errors.length > 0 ? { subject, state: 'wrong', message: errors.join('; ') } : ok(subject, message);
}
