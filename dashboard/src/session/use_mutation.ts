import { useCallback, useState } from 'preact/hooks';
import { showToast } from '../components/toast.tsx';
import { RpcError } from './rpc_error.ts';
import { useSession } from './session.tsx';

/**
 * Runs one mutation at a time. `busy` is true while it runs; `errorText` holds its error message.
 * When the user no longer belongs to the organization, the session reloads the list of
 * organizations.
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
