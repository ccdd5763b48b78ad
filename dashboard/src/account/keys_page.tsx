import { useEffect, useMemo, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { OldData } from '../components/old_data.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { showToast } from '../components/toast.tsx';
import { useQuery } from '../components/use_query.ts';
import { go, useAddress } from '../router.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import { FirstStepsCard } from './first_steps_card.tsx';
import { RevokeDialog, RotateDialog } from './key_dialogs.tsx';
import { KeyList } from './key_list.tsx';
import type { KeyActions } from './key_row.tsx';
import { MintDialog } from './mint_dialog.tsx';
import { NewKeyDialog } from './new_key_dialog.tsx';
import type { KeyRow as Key } from './types.ts';
import { UsageSummary } from './usage_summary.tsx';
import './keys.css';
import './team.css';

type Open =
  | { name: 'mint' }
  | { name: 'revoke' | 'rotate'; target: Key }
  | { name: 'fresh'; fresh: string; note?: string };

/** Answers: how do I call the API, and how much have I used? */
export function KeysPage() {
  const { organization } = useMember();
  const { call, rows } = useRpc();
  const owner = organization.role === 'owner';
  const org = organization.org_id;
  const reading = useQuery(() => rows<Key>('my_keys', { org, newestBy: ['created_at', 'key_id'] }), [org], 30_000);
  const { value: keys, error, refetch } = reading;
  const [open, setOpen] = useState<Open>();
  const { query } = useAddress();
  const asksForKey = query.has('new');
  // The command palette and the checklist lead here with ?new. The address then opens no second
  // dialog.
  useEffect(() => {
    if (!asksForKey || !keys) return;
    if (owner) setOpen({ name: 'mint' });
    go('/keys', true);
  }, [asksForKey, keys, owner]);
  const actions = useMemo<KeyActions | undefined>(
    () =>
      owner
        ? {
            async rename(key, name) {
              await call('rename_key', { p_key: key.key_id, p_name: name });
              await refetch();
            },
            rotate: (target) => setOpen({ name: 'rotate', target }),
            revoke: (target) => setOpen({ name: 'revoke', target }),
          }
        : undefined,
    [owner, call, refetch],
  );
  const close = () => setOpen(undefined);
  const mintButton = owner && (
    <button type="button" class="button first" disabled={!keys} onClick={() => setOpen({ name: 'mint' })}>
      <Icon name="plus" />
      Create key
    </button>
  );

  return (
    <>
      <PageHead title="Keys" actions={mintButton}>
        Keys call the API for {organization.name}. All keys share the limits of its plan.
      </PageHead>
      <div class="stack">
        <OldData reading={reading} />
        <FirstStepsCard key={org} />
        <UsageSummary />
        {error && !keys ? (
          <div class="card">
            <Problem error={error} onRetry={() => void refetch()} />
          </div>
        ) : (
          <KeyList keys={keys} actions={actions} mintButton={mintButton} owner={owner} />
        )}
      </div>
      {open?.name === 'mint' && (
        <MintDialog
          name={freeName(keys ?? [])}
          onClose={close}
          onDone={(fresh) => {
            setOpen({ name: 'fresh', fresh: fresh.key });
            void refetch();
          }}
        />
      )}
      {open?.name === 'fresh' && (
        <NewKeyDialog fresh={open.fresh} onClose={close} {...(open.note ? { note: open.note } : {})} />
      )}
      {open?.name === 'revoke' && (
        <RevokeDialog
          target={open.target}
          onClose={close}
          onDone={() => {
            close();
            showToast(`Revoked ${open.target.name}.`);
            void refetch();
          }}
        />
      )}
      {open?.name === 'rotate' && (
        <RotateDialog
          target={open.target}
          onClose={close}
          onDone={(fresh, hours) => {
            const note =
              hours > 0
                ? `The old key works for ${hours} more ${hours === 1 ? 'hour' : 'hours'}.`
                : 'The old key no longer works.';
            setOpen({ name: 'fresh', fresh: fresh.key, note });
            void refetch();
          }}
        />
      )}
    </>
  );
}

/** The first free name of Key 1, Key 2, …, so that a key can be created without typing. */
function freeName(keys: readonly Key[]): string {
  const taken = new Set(keys.map((key) => key.name));
  for (let number = 1; ; number++) if (!taken.has(`Key ${number}`)) return `Key ${number}`;
}
