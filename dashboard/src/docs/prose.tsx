import type { ComponentChildren } from 'preact';

/** Text with `code` and **bold** spans, as text nodes. It cannot produce other markup. */
export function Line({ text }: { text: string }) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part): ComponentChildren => {
    if (part.startsWith('`') && part.length > 2) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('**') && part.length > 4) return <strong>{part.slice(2, -2)}</strong>;
    return part;
  });
  return <>{parts}</>;
}

/** Paragraphs and lists: all the Markdown that openapi.json uses. */
export function Prose({ text }: { text: string }) {
  const blocks = text.split(/\n\n+/).filter((block) => block.trim() !== '');
  return (
    <>
      {blocks.map((block) =>
        block.startsWith('- ') ? (
          <ul key={block}>
            {block
              .split(/\n?^- /m)
              .filter(Boolean)
              .map((item) => (
                <li key={item}>
                  <Line text={item.trim()} />
                </li>
              ))}
          </ul>
        ) : (
          <p key={block}>
            <Line text={block} />
          </p>
        ),
      )}
    </>
  );
}
