import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { type Command, matching, movedBy } from './palette.ts';
import { useCommands } from './use_commands.ts';
import { useFoundMarkets } from './use_found_markets.ts';
import './palette.css';

/**
 * The command palette: pages, actions and markets by words. The focus stays in the text field; the
 * arrow keys move the choice.
 */
export function PaletteDialog({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const { markets, isSearching, error } = useFoundMarkets(text);
  const commands = [...matching(useCommands(), text), ...markets];
  const chosen = commands[Math.min(at, commands.length - 1)];

  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    dialog.current?.showModal();
    return () => {
      dialog.current?.close();
      if (before?.isConnected) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    dialog.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen?.id]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    // First, so that the focus goes to the page that the command opens.
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = movedBy(event.key, Math.min(at, commands.length - 1), commands.length);
    if (event.key === 'Enter') run(chosen);
    else if (next !== undefined) setAt(next);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it by keyboard.
    <dialog
      ref={dialog}
      class="dialog palette"
      aria-label="Commands"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Find a page, an action or a market"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen ? `${id}-${chosen.id}` : undefined}
          aria-autocomplete="list"
          placeholder="Find a page, an action or a market"
          autocomplete="off"
          spellcheck={false}
          maxLength={100}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label="Commands">
        {commands.map((command) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
          <div
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onClick={() => run(command)}
          >
            <Icon name={command.icon} />
            <span class="palette-title">{command.title}</span>
            <span class="muted small">{command.kind === 'Market' ? command.words : command.kind}</span>
          </div>
        ))}
      </div>
      <p class="palette-note muted small" role="status">
        {error ?? (isSearching ? 'Searching markets…' : commands.length === 0 ? 'Nothing found.' : '')}
      </p>
      <p class="palette-keys muted small" aria-hidden="true">
        <kbd>↑</kbd> <kbd>↓</kbd> choose <kbd>Enter</kbd> open <kbd>Esc</kbd> close
      </p>
    </dialog>
  );
}
