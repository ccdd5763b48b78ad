import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useReading } from '../components/reading.ts';
import { say } from '../components/toast.tsx';
import { useAsking } from '../session/asking.ts';
import { useMember } from '../session/session.tsx';
import { useDeed } from './deed.ts';
import { FreshKeyDialog } from './fresh_key_dialog.tsx';
import { RevokeDialog, RotateDialog } from './key_dialogs.tsx';
import { KeyList } from './key_list.tsx';
import type { KeyDeeds } from './key_row.tsx';
import type { FreshKey, KeyRow as Key } from './types.ts';
import { UsageGlance } from './usage_glance.tsx';
import './keys.css';

type Open = { name: 'revoke' | 'rotate'; target: Key } | { name: 'fresh'; fresh: string; note?: string };

/** Answers one question: how do I call this, and how much have I used? */
export function KeysPage() {
  const { organization } = useMember();
  const { call, rows } = useAsking();
  const owner = organization.role === 'owner';
  const org = organization.org_id;
  const {
    value: keys,
    error,
    again,
  } = useReading(() => rows<Key>('my_keys', { org, newestBy: ['created_at', 'key_id'] }), [org], 30_000);
  const [open, setOpen] = useState<Open>();
  const { busy, fault, run } = useDeed();

  const mint = () =>
    run(async () => {
      const fresh = await call<FreshKey>('mint_key', { p_org: org, p_name: freeName(keys ?? []) });
      setOpen({ name: 'fresh', fresh: fresh.key });
      await again();
    });
  const deeds = useMemo<KeyDeeds | undefined>(
    () =>
      owner
        ? {
            async rename(key, name) {
              await call('rename_key', { p_key: key.key_id, p_name: name });
              await again();
            },
            rotate: (target) => setOpen({ name: 'rotate', target }),
            revoke: (target) => setOpen({ name: 'revoke', target }),
          }
        : undefined,
    [owner, call, again],
  );
  const close = () => setOpen(undefined);
  const mintButton = owner && (
    <button type="button" class="button first" disabled={busy || !keys} onClick={() => void mint()}>
      <Icon name="plus" />
      Create key
    </button>
  );

  return (
    <>
      <PageHead title="Keys" actions={mintButton}>
        A key calls the API for {organization.name}. All of its keys share one plan.
      </PageHead>
      {fault && (
        <p class="problem" role="alert">
          {fault}
        </p>
      )}
      <div class="stack">
        <UsageGlance />
        {error && !keys ? (
          <div class="card">
            <Problem error={error} again={() => void again()} />
          </div>
        ) : (
          <KeyList keys={keys} deeds={deeds} mintButton={mintButton} owner={owner} />
        )}
      </div>
      {open?.name === 'fresh' && (
        <FreshKeyDialog fresh={open.fresh} onClose={close} {...(open.note ? { note: open.note } : {})} />
      )}
      {open?.name === 'revoke' && (
        <RevokeDialog
          target={open.target}
          onClose={close}
          onDone={() => {
            close();
            say(`${open.target.name} is revoked.`);
            void again();
          }}
        />
      )}
      {open?.name === 'rotate' && (
        <RotateDialog
          target={open.target}
          onClose={close}
          onDone={(fresh, hours) => {
            const note = hours > 0 ? `The old key works for ${hours} more hours.` : 'The old key has ended.';
            setOpen({ name: 'fresh', fresh: fresh.key, note });
            void again();
          }}
        />
      )}
    </>
  );
}

/** Key 1, Key 2, …: minted in one click, named where it stands when a name is wanted. */
function freeName(keys: readonly Key[]): string {
  const taken = new Set(keys.map((key) => key.name));
  for (let number = 1; ; number++) if (!taken.has(`Key ${number}`)) return `Key ${number}`;
}
