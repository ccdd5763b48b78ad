/** What one look found. `unknown`: only the hosted project itself can tell; the words say what to look at there. */
export type Finding = { about: string; state: 'ok' | 'wrong' | 'unknown'; words: string };

export const ok = (about: string, words: string): Finding => ({ about, state: 'ok', words });
export const unknown = (about: string, words: string): Finding => ({ about, state: 'unknown', words });

/** Wrong where there are faults, and then they are the words; else ok. */
export function judged(about: string, faults: string[], words: string): Finding {
  return faults.length > 0 ? { about, state: 'wrong', words: faults.join('; ') } : ok(about, words);
}
