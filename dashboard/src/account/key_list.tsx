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
  { title: 'Prefix' },
  { title: 'State' },
  { title: 'Last used' },
  { title: 'Created' },
  { title: 'Actions', kind: 'visually-hidden' },
] as const;

type ListProps = {
  keys: Key[] | undefined;
  actions: KeyActions | undefined;
  owner: boolean;
  mintButton: ComponentChild;
};

/** The keys of an organization. Inactive keys are hidden until the user shows them. */
export function KeyList({ keys, actions, owner, mintButton }: ListProps) {
  const [search, setSearch] = useState('');
  const [all, setAll] = useState(false);
  const narrow = useNarrowLayout();
  // Rounded to the minute, so that the list is not filtered and sorted every second.
  const minute = Math.floor(useNow() / 60_000) * 60_000;
  const shown = useMemo(() => filterKeys(keys ?? [], search, !all, minute), [keys, search, all, minute]);
  const inactive = useMemo(() => (keys ?? []).filter((key) => !isUsable(keyState(key, minute))).length, [keys, minute]);
  useEffect(() => {
    if (keys && inactive === keys.length) setAll(true);
  }, [keys, inactive]);

  if (!keys) return <div class="card key-wait" role="status" aria-label="Loading keys" />;
  if (keys.length === 0) {
    return (
      <div class="card">
        <EmptyState icon="keys" title="No keys yet" action={mintButton || undefined}>
          {owner
            ? 'Create a key to call the API. You see the key once, with a curl command to try it.'
            : 'Only an owner of this organization can create keys.'}
        </EmptyState>
      </div>
    );
  }
  const active = keys.length - inactive;
  return (
    <section class="card" aria-label="Keys">
      <div class="card-head">
        <h2>{active === 0 ? 'No active keys' : `${count(active)} active ${active === 1 ? 'key' : 'keys'}`}</h2>
        <div class="buttons key-tools">
          {keys.length > 8 && (
            <input
              class="input search"
              type="search"
              placeholder="Name or prefix"
              aria-label="Find a key by name or prefix"
              value={search}
              onInput={(event) => setSearch(event.currentTarget.value)}
            />
          )}
          {inactive > 0 && (
            <button type="button" class="button" aria-pressed={all} onClick={() => setAll(!all)}>
              {all ? 'Hide' : 'Show'} {count(inactive)} inactive
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
          No key matches this search.
        </p>
      )}
    </section>
  );
}
