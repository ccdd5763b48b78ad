/** What one look found. `unknown`: only the hosted project itself can tell; the words say what to look at there. */
export type Finding = { subject: string; state: 'ok' | 'wrong' | 'unknown'; message: string };

export const ok = (subject: string, message: string): Finding => ({ subject, state: 'ok', message });
export const unknown = (subject: string, message: string): Finding => ({ subject, state: 'unknown', message });

/** Wrong where there are faults, and then they are the words; else ok. */
export function checkResult(subject: string, errors: string[], words: string): Finding {
  return errors.length > 0 ? { subject, state: 'wrong', message: errors.join('; ') } : ok(subject, words);
}
