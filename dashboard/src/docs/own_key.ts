import { useEffect, useState } from 'preact/hooks';

const STORAGE_KEY = 'parallax.docs_key';

let current = sessionStorage.getItem(STORAGE_KEY) ?? '';
const listeners = new Set<(key: string) => void>();

/** Keeps the key for all endpoints of this tab, until the tab is closed. Empty: forgets it. */
export function setOwnKey(key: string): void {
  current = key;
  if (key) sessionStorage.setItem(STORAGE_KEY, key);
  else sessionStorage.removeItem(STORAGE_KEY);
  for (const listener of listeners) listener(key);
}

/** The key that the reader has typed. */
export function useOwnKey(): string {
  const [key, setKey] = useState(current);
  useEffect(() => {
    setKey(current);
    listeners.add(setKey);
    return () => void listeners.delete(setKey);
  }, []);
  return key;
}
