import { CopyButton } from './copy_button.tsx';

type CommandProps = {
  text: string;
  /** What is copied, for those who hear the page. */
  label?: string;
  /** Shown whole, over several lines where it must be: a key. Else it scrolls. */
  whole?: boolean;
  /** Its button has the focus when a dialog opens. */
  first?: boolean;
};

/** A command, or a key, that can be copied with one click or with the keyboard. */
export function CopyableText({ text, label = 'the command', whole, first }: CommandProps) {
  return (
    <div class={whole ? 'command whole' : 'command'}>
      {/* It may be wider than the page, and then only a focused element scrolls by keyboard. */}
      <pre tabIndex={whole ? undefined : 0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} first={first ?? false} />
    </div>
  );
}
