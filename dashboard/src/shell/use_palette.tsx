import type { ComponentChildren, ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { showToast } from '../components/toast.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

type Palette = ComponentType<{ onClose(): void }>;
let loaded: Palette | undefined;

/**
 * The command palette: `show` opens it, and so does Ctrl K or ⌘ K. Its script loads on first use.
 * Render `dialog` where no parent is ever hidden.
 */
export function usePalette(): { show(): Promise<void>; dialog: ComponentChildren } {
  const [open, setOpen] = useState(false);
  const show = useCallback(async () => {
    try {
      loaded ??= (await import('../palette/palette_dialog.tsx')).PaletteDialog;
      setOpen(true);
    } catch {
      showToast('The commands could not be loaded. Check your connection, then try again.', true);
    }
  }, []);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      // An open dialog may hold a text that is shown once.
      if (document.querySelector('dialog[open]') === null) void show();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [show]);
  const Dialog = loaded;
  return { show, dialog: open && Dialog && <Dialog onClose={() => setOpen(false)} /> };
}

/** Opens the command palette, and names its keys. */
export function PaletteButton({ onOpen }: { onOpen(): Promise<void> }) {
  return (
    <button
      type="button"
      class="palette-opener"
      aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
      onClick={() => void onOpen()}
    >
      <Icon name="search" />
      Search <kbd>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  );
}
