import { useCallback, useState } from 'preact/hooks';

/** Runs one call of Auth at a time. `errorText` is the sentence of its error. */
export function useTask(): { busy: boolean; errorText: string; run(task: () => Promise<void>): Promise<void> } {
  const [busy, setBusy] = useState(false);
  const [errorText, setErrorText] = useState('');
  const run = useCallback(async (task: () => Promise<void>) => {
    setBusy(true);
    setErrorText('');
    try {
      await task();
    } catch (error) {
      setErrorText((error as Error).message);
    }
    setBusy(false);
  }, []);
  return { busy, errorText, run };
}
