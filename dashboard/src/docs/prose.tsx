import type { ComponentChildren } from 'preact';

/** A sentence with its `code` and **bold** spans. Text stays text: there is no way to markup from here. */
export function Line({ text }: { text: string }) {
  const parts = text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part): ComponentChildren => {
    if (part.startsWith('`') && part.length > 2) return <code>{part.slice(1, -1)}</code>;
    if (part.startsWith('**') && part.length > 4) return <strong>{part.slice(2, -2)}</strong>;
    return part;
  });
  return <>{parts}</>;
}

/** Paragraphs and lists, which is all the Markdown that the document’s descriptions have. */
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
