import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { Cell, GridRow } from '../components/grid.tsx';
import { Icon } from '../components/icon.tsx';
import { useNow } from '../components/now.ts';
import { isUsable, keyState, keyStateLabels } from './key_state.ts';
import type { KeyRow as Key } from './types.ts';

export type KeyActions = {
  rename(key: Key, name: string): Promise<void>;
  rotate(key: Key): void;
  revoke(key: Key): void;
};

/** One key: name, prefix, state, last use, age. An owner can rename, rotate and revoke it here. */
export function KeyRow({ row, index, actions }: { row: Key; index: number; actions: KeyActions | undefined }) {
  const [editing, setEditing] = useState(false);
  const state = keyState(row, useNow());
  const usable = isUsable(state);
  const { word, look } = keyStateLabels[state];
  // last_used_at is rounded down to the minute, so it can lie before created_at.
  const used = row.last_used_at && (row.last_used_at < row.created_at ? row.created_at : row.last_used_at);
  const ends = state === 'revoked' ? row.revoked_at : row.expires_at;
  return (
    <GridRow kind={`key-row ${usable ? '' : 'is-over'}`} index={index}>
      <Cell kind="key-name">
        {editing && actions ? (
          <RenameForm row={row} rename={actions.rename} onClose={() => setEditing(false)} />
        ) : (
          <>
            <span class="key-title">
              <strong>{row.name}</strong>
              {row.scope === 'read_only' && <span class="muted small">Read-only</span>}
            </span>
            {actions && (
              <button
                type="button"
                class="button plain quiet"
                aria-label={`Rename ${row.name}`}
                onClick={() => setEditing(true)}
              >
                <Icon name="edit" />
              </button>
            )}
          </>
        )}
      </Cell>
      <Cell kind="key-prefix mono">{row.prefix}…</Cell>
      <Cell kind="key-state">
        <span class={`state ${look}`}>
          <span class="dot" aria-hidden="true" />
          {word}
        </span>{' '}
        {ends && (
          <span class="muted small">
            {state === 'live' && 'expires '}
            <Ago at={ends} />
          </span>
        )}
      </Cell>
      <Cell kind="key-used muted">
        <span class="on-narrow">Used </span>
        <Ago at={used} none="never" />
      </Cell>
      <Cell kind="key-made muted">
        <Ago at={row.created_at} />
      </Cell>
      <Cell kind="key-actions">
        {actions && usable && (
          <>
            <button
              type="button"
              class="button little"
              aria-label={`Rotate ${row.name}`}
              onClick={() => actions.rotate(row)}
            >
              Rotate
            </button>
            <button
              type="button"
              class="button little danger"
              aria-label={`Revoke ${row.name}`}
              onClick={() => actions.revoke(row)}
            >
              Revoke
            </button>
          </>
        )}
      </Cell>
    </GridRow>
  );
}

/** Edits the name in place. Enter saves, Escape cancels, an error stays on the row. */
function RenameForm({ row, rename, onClose }: { row: Key; rename: KeyActions['rename']; onClose(): void }) {
  const [error, setError] = useState('');
  const submit = async (name: string) => {
    try {
      if (name.trim() !== row.name) await rename(row, name.trim());
      onClose();
    } catch (error) {
      setError((error as Error).message);
    }
  };
  return (
    <form
      class="rename"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(String(new FormData(event.currentTarget).get('name') ?? ''));
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <input
        class="input"
        name="name"
        aria-label="Key name"
        aria-invalid={error !== ''}
        title={error}
        defaultValue={row.name}
        maxLength={100}
        required
        ref={(input) => {
          if (input && document.activeElement !== input && !input.dataset.seen) {
            input.dataset.seen = '1';
            input.select();
          }
        }}
      />
      <button type="submit" class="button little" aria-label="Save name">
        <Icon name="check" />
      </button>
      {error && (
        <span role="alert" class="visually-hidden">
          {error}
        </span>
      )}
    </form>
  );
}
