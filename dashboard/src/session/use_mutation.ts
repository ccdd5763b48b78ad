import { useCallback, useState } from 'preact/hooks';
import { showToast } from '../components/toast.tsx';
import { RpcError } from './rpc_error.ts';
import { useSession } from './session.tsx';

/**
 * Does one thing at a time: `busy` while it runs, its failure in words in `fault`. What is no longer ours (one was removed, the
 * organization deleted) makes the session look again at where one belongs.
 */
export function useMutation(): {
  busy: boolean;
  errorText: string;
  run(mutation: () => Promise<void>): Promise<void>;
} {
  const [busy, setBusy] = useState(false);
  const [errorText, setErrorText] = useState('');
  const { refresh } = useSession();
  const run = useCallback(
    async (mutation: () => Promise<void>) => {
      setBusy(true);
      setErrorText('');
      try {
        await mutation();
      } catch (error) {
        setErrorText((error as Error).message);
        if (error instanceof RpcError && error.code === 'organization.not_found') {
          showToast(error.message, true);
          await refresh();
        }
      }
      setBusy(false);
    },
    [refresh],
  );
  return { busy, errorText, run };
}
