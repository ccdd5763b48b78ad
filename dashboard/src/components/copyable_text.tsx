import { CopyButton } from './copy_button.tsx';

type CommandProps = {
  text: string;
  /** Names the text for screen readers. */
  label?: string;
  /** Wraps over several lines, as for a key. Without it the text scrolls sideways. */
  whole?: boolean;
  /** The copy button takes the focus when a dialog opens. */
  first?: boolean;
};

/** A command or a key with a copy button. */
export function CopyableText({ text, label = 'the command', whole, first }: CommandProps) {
  return (
    <div class={whole ? 'copyable whole' : 'copyable'}>
      {/* The text may be wider than the page. Only a focusable element scrolls by keyboard. */}
      <pre tabIndex={whole ? undefined : 0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} first={first ?? false} />
    </div>
  );
}
