import { useState } from 'preact/hooks';
import { type ApiDocument, resolve, type Schema } from './document.ts';
import { Line } from './prose.tsx';
import { choices, itemSchema, rangeText, typeText } from './schema_text.ts';

/** The fields of an object with type and meaning. Nested objects expand in place. */
export function Fields({ api, schema, label }: { api: ApiDocument; schema: Schema; label: string }) {
  const { properties = {}, required = [] } = resolve(api, schema);
  return (
    <table class="fields" aria-label={label}>
      <tbody>
        {Object.entries(properties).map(([name, field]) => (
          <tr key={name}>
            <th scope="row">
              <code class="name">{name}</code>
              <Type schema={field} />
              {!required.includes(name) && <span class="mark">optional</span>}
            </th>
            <td>
              <Line text={resolve(api, field).description ?? ''} />
              <Choices words={choices(field)} />
              <Nested api={api} name={name} schema={field} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Type({ schema }: { schema: Schema }) {
  const bounds = rangeText(schema);
  return (
    <span class="type">
      {typeText(schema)}
      {bounds && (
        <>
          , <span class="bounds">{bounds}</span>
        </>
      )}
    </span>
  );
}

export function Choices({ words }: { words: string[] }) {
  if (words.length === 0) return null;
  return (
    <span class="choices">
      {words.map((word) => (
        <code key={word}>{word}</code>
      ))}
    </span>
  );
}

/** Rendered when opened: several responses contain a Market, and most readers open few of them. */
function Nested({ api, name, schema }: { api: ApiDocument; name: string; schema: Schema }) {
  const [open, setOpen] = useState(false);
  const inner = itemSchema(api, schema);
  if (!inner) return null;
  return (
    <details class="nested" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Fields of <code>{name}</code>
      </summary>
      {open && <Fields api={api} schema={inner} label={`Fields of ${name}`} />}
    </details>
  );
}
