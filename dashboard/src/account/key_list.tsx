import type { ComponentChild } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { Grid } from '../components/grid.tsx';
import { useNow } from '../components/now.ts';
import { type KeyActions, KeyRow } from './key_row.tsx';
import { filterKeys, isUsable, keyState } from './key_state.ts';
import type { KeyRow as Key } from './types.ts';
import { useNarrowLayout } from './use_narrow_layout.ts';

const columns = [
  { title: 'Name' },
  { title: 'Begins with' },
  { title: 'State' },
  { title: 'Last used' },
  { title: 'Created' },
  { title: 'Actions', kind: 'unseen' },
] as const;

type ListProps = {
  keys: Key[] | undefined;
  actions: KeyActions | undefined;
  owner: boolean;
  mintButton: ComponentChild;
};

/** The keys of an organization: those that work, and on request those that have ended. Thousands stay smooth. */
export function KeyList({ keys, actions, owner, mintButton }: ListProps) {
  const [sought, setSought] = useState('');
  const [all, setAll] = useState(false);
  const narrow = useNarrowLayout();
  // To the minute: the list is sorted anew when a key may have ended, not each second.
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const shown = useMemo(() => filterKeys(keys ?? [], sought, !all, minute), [keys, sought, all, minute]);
  const over = useMemo(() => (keys ?? []).filter((key) => !isUsable(keyState(key, minute))).length, [keys, minute]);
  useEffect(() => {
    if (keys && over === keys.length) setAll(true);
  }, [keys, over]);

  if (!keys) return <div class="card key-wait" role="status" aria-label="Reading the keys" />;
  if (keys.length === 0) {
    return (
      <div class="card">
        <EmptyState icon="keys" title="No key yet" action={mintButton || undefined}>
          {owner
            ? 'A key is shown once, with a request that works when pasted.'
            : 'An owner of this organization can create one. Members see the keys that there are.'}
        </EmptyState>
      </div>
    );
  }
  const working = keys.length - over;
  return (
    <section class="card" aria-label="Keys">
      <div class="card-head">
        <h2>{working === 0 ? 'No working key' : `${count(working)} working ${working === 1 ? 'key' : 'keys'}`}</h2>
        <div class="buttons key-tools">
          {keys.length > 8 && (
            <input
              class="input search"
              type="search"
              placeholder="Name or prefix"
              aria-label="Find a key by name or prefix"
              value={sought}
              onInput={(event) => setSought(event.currentTarget.value)}
            />
          )}
          {over > 0 && (
            <button type="button" class="button" aria-pressed={all} onClick={() => setAll(!all)}>
              {all ? 'Hide' : 'Show'} {count(over)} ended
            </button>
          )}
        </div>
      </div>
      <Grid
        label="Keys"
        columns={columns}
        count={shown.length}
        rowHeight={narrow ? 132 : 56}
        rowKind="key-row"
        headKind="key-head"
        row={(index) => {
          const key = shown[index];
          return key && <KeyRow key={key.key_id} row={key} index={index} actions={actions} />;
        }}
      />
      {shown.length === 0 && (
        <p class="muted none" role="status">
          No key is called that.
        </p>
      )}
    </section>
  );
}
