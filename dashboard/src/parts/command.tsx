import { CopyButton } from './copy_button.tsx';

/** A command, or a key, that can be copied with one click or with the keyboard. */
export function Command({ text, label = 'the command' }: { text: string; label?: string }) {
  return (
    <div class="command">
      {/* It may be wider than the page, and then only a focused element scrolls by keyboard. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to take the focus. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}
