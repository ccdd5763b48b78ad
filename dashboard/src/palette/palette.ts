import type { IconName } from '../components/icon_paths.ts';

/** An entry of the command palette. Enter runs it. */
export type Command = {
  id: string;
  kind: 'Page' | 'Action' | 'Market';
  icon: IconName;
  title: string;
  /** More words by which it is found. */
  words?: string;
  run(): void;
};

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * The commands of which each typed word begins a word, those first whose title begins with the
 * text. All commands for an empty text.
 */
export function matching(commands: readonly Command[], text: string): Command[] {
  const typed = wordsOf(text);
  const found = commands.filter(({ title, words = '' }) => {
    const own = wordsOf(`${title} ${words}`);
    return typed.every((word) => own.some((one) => one.startsWith(word)));
  });
  const isFirst = ({ title }: Command) => title.toLowerCase().startsWith(text.trim().toLowerCase());
  return [...found.filter(isFirst), ...found.filter((command) => !isFirst(command))];
}

/** The index after a key; undefined for a key that does not move. The list is a circle. */
export function movedBy(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (at - 1 + count) % count;
  return undefined;
}
