import { useEffect, useState } from 'preact/hooks';

export type SampleLanguage = 'curl' | 'typescript' | 'python';

/** One language of a code sample. `label` is the text of its tab. */
export type Sample = { language: SampleLanguage; label: string; text: string };

const STORAGE_KEY = 'parallax.sample_language';
const DEFAULT_LANGUAGE: SampleLanguage = 'curl';

let chosen = storedLanguage();
const listeners = new Set<(language: SampleLanguage) => void>();

function storedLanguage(): SampleLanguage {
  const stored = localStorage.getItem(STORAGE_KEY);
  return stored === 'typescript' || stored === 'python' ? stored : DEFAULT_LANGUAGE;
}

/** Selects a language for all samples of the documentation, and stores it on this device. */
export function chooseLanguage(language: SampleLanguage): void {
  chosen = language;
  localStorage.setItem(STORAGE_KEY, language);
  for (const listener of listeners) listener(language);
}

/** The chosen language. All samples change together. */
export function useSampleLanguage(): SampleLanguage {
  const [language, setLanguage] = useState(chosen);
  useEffect(() => {
    setLanguage(chosen);
    listeners.add(setLanguage);
    return () => void listeners.delete(setLanguage);
  }, []);
  return language;
}
