import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Copies `text` and shows “Copied” for two seconds in the same space, so that nothing moves. */
export function CopyButton({
  text,
  label,
  kind = '',
  first = false,
  children = 'Copy',
}: {
  text: string;
  /** Names the text for screen readers. */
  label: string;
  kind?: string;
  first?: boolean;
  children?: ComponentChildren;
}) {
  const [feedback, setFeedback] = useState('');
  useEffect(() => {
    if (!feedback) return;
    const timer = setTimeout(() => setFeedback(''), 2000);
    return () => clearTimeout(timer);
  }, [feedback]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setFeedback('Copied');
    } catch {
      // No permission, or no https. The user can still select the text.
      setFeedback('Select it by hand');
    }
  };
  return (
    <button type="button" class={kind} onClick={copy} {...(first ? { autofocus: true } : {})}>
      {feedback || children}
      <span class="visually-hidden" aria-live="polite">
        {feedback ? `${feedback}: ${label}` : label}
      </span>
    </button>
  );
}
