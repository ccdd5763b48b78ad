import type { ComponentChildren } from 'preact';

const token = /("(?:\\.|[^"\\])*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

export function Json({ value }: { value: unknown }) {
  return <JsonText text={formatJson(value)} />;
}

/** JSON with syntax colours. Every part is a text node, because values can come from a venue. */
export function JsonText({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of text.matchAll(token)) {
    parts.push(text.slice(from, found.index));
    const [whole, quoted, colon] = found;
    if (quoted === undefined) parts.push(<span class="j-value">{whole}</span>);
    else if (colon === undefined) parts.push(<span class="j-text">{quoted}</span>);
    else parts.push(<span class="j-key">{quoted}</span>, colon);
    from = found.index + whole.length;
  }
  parts.push(text.slice(from));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
    <pre class="json" tabIndex={0}>
      <code>{parts}</code>
    </pre>
  );
}

/**
 * Formats JSON. A value that fits on one line stays on it, so that arrays of numbers are readable.
 */
export const formatJson = (value: unknown): string => write(value, '');

function write(value: unknown, indent: string): string {
  const short = JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return short ?? 'null';
  if (short.length + indent.length <= 72) return spaced(value);
  const deeper = `${indent}  `;
  const list = Array.isArray(value);
  const lines = list
    ? value.map((item) => deeper + write(item, deeper))
    : Object.entries(value).map(([key, inner]) => `${deeper}${JSON.stringify(key)}: ${write(inner, deeper)}`);
  return `${list ? '[' : '{'}\n${lines.join(',\n')}\n${indent}${list ? ']' : '}'}`;
}

function spaced(value: object): string {
  if (Array.isArray(value)) return `[${value.map((item) => write(item, '')).join(', ')}]`;
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${write(inner, '')}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
