import { useCallback, useState } from 'preact/hooks';
import { say } from '../components/toast.tsx';
import { Refused } from '../session/refused.ts';
import { useSession } from '../session/session.tsx';

/**
 * Does one thing at a time: `busy` while it runs, its failure in words in `fault`. What is no longer ours (one was removed, the
 * organization deleted) makes the session look again at where one belongs.
 */
export function useDeed(): {
  busy: boolean;
  fault: string;
  run(deed: () => Promise<void>): Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState('');
  const { refresh } = useSession();
  const run = useCallback(
    async (deed: () => Promise<void>) => {
      setBusy(true);
      setFault('');
      try {
        await deed();
      } catch (error) {
        setFault((error as Error).message);
        if (error instanceof Refused && error.code === 'organization.not_found') {
          say(error.message, true);
          await refresh();
        }
      }
      setBusy(false);
    },
    [refresh],
  );
  return { busy, fault, run };
}
