import type { ComponentChildren } from 'preact';

const SNIPPET_CHARACTERS = 150;

/** A text with the found words marked. Every part is a text node. */
export function Marked({ text, terms }: { text: string; terms: readonly string[] }) {
  const pattern = patternOf(terms);
  if (!pattern) return <>{text}</>;
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(from, found.index), <mark key={found.index}>{found[0]}</mark>);
    from = found.index + found[0].length;
  }
  parts.push(text.slice(from));
  return <>{parts}</>;
}

/** The first line that has a found word, cut to the characters around the word. */
export function snippetOf(lines: readonly string[], terms: readonly string[]): string {
  const pattern = patternOf(terms);
  const plain = lines.map((line) => line.replaceAll(/[`*]/g, ''));
  const line = (pattern && plain.find((one) => one.search(pattern) >= 0)) ?? plain[0] ?? '';
  if (line.length <= SNIPPET_CHARACTERS) return line;
  const at = pattern ? Math.max(0, line.search(pattern)) : 0;
  const start = at < SNIPPET_CHARACTERS * 0.7 ? 0 : line.lastIndexOf(' ', at - 40) + 1;
  const end = line.lastIndexOf(' ', start + SNIPPET_CHARACTERS);
  return `${start > 0 ? '… ' : ''}${line.slice(start, end > start ? end : start + SNIPPET_CHARACTERS)} …`;
}

function patternOf(terms: readonly string[]): RegExp | undefined {
  if (terms.length === 0) return undefined;
  const longestFirst = [...terms].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(escaped.join('|'), 'giu');
}
