import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Copies `text` and says so for a moment, in the same room, so that nothing jumps. */
export function CopyButton({
  text,
  label,
  kind = '',
  first = false,
  children = 'Copy',
}: {
  text: string;
  /** What is copied, for those who hear the page. */
  label: string;
  kind?: string;
  first?: boolean;
  children?: ComponentChildren;
}) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(''), 2000);
    return () => clearTimeout(timer);
  }, [said]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('Copied');
    } catch {
      // No permission, or a page without https: the text itself can still be marked.
      setSaid('Mark it by hand');
    }
  };
  return (
    <button type="button" class={kind} onClick={copy} {...(first ? { autofocus: true } : {})}>
      {said || children}
      <span class="unseen" aria-live="polite">
        {said ? `${said}: ${label}` : label}
      </span>
    </button>
  );
}
