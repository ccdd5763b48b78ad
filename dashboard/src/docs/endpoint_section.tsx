import { useState } from 'preact/hooks';
import { API_URL } from '../api_url.ts';
import { samplesOf } from './code_samples.ts';
import { CodeTabs } from './code_tabs.tsx';
import type { ApiDocument, ApiResponse, Endpoint, Operation } from './document.ts';
import { draftOf } from './draft.ts';
import { Choices, Fields, Type } from './fields.tsx';
import { Json } from './json.tsx';
import { Line, Prose } from './prose.tsx';
import { choices, itemSchema, typeText } from './schema_text.ts';
import { TryIt } from './try_it.tsx';

/** One endpoint: description, parameters, body, responses, errors and code samples. */
export function EndpointSection({ api, endpoint }: { api: ApiDocument; endpoint: Endpoint }) {
  const { id, method, path, operation } = endpoint;
  const answers = Object.entries(operation.responses);
  return (
    <section class="endpoint" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`}>
        <a href={`#${id}`}>{operation.summary}</a>
        {operation.deprecated && <span class="mark">deprecated</span>}
      </h3>
      <p class="address">
        <span class={`method is-${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        {operation.security && <span class="mark">no key</span>}
      </p>
      <div class="columns">
        <div class="description">
          <Prose text={operation.description} />
          <Parameters operation={operation} />
          <Body api={api} operation={operation} />
          {answers
            .filter(([status]) => status.startsWith('2'))
            .map(([status, answer]) => (
              <ResponseFields key={status} api={api} status={status} answer={answer} />
            ))}
          <h4>Other responses</h4>
          {answers
            .filter(([status]) => !status.startsWith('2'))
            .map(([status, answer]) => (
              <ErrorResponse key={status} status={status} answer={answer} />
            ))}
        </div>
        <Request endpoint={endpoint} />
      </div>
    </section>
  );
}

/** The request as code and as a form. The samples follow the form. */
function Request({ endpoint }: { endpoint: Endpoint }) {
  const { operation } = endpoint;
  const [draft, setDraft] = useState(() => draftOf(endpoint));
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="samples">
      <h4>Request</h4>
      <CodeTabs label={`the request of “${operation.summary}”`} samples={samplesOf(endpoint, draft, API_URL)} />
      <details class="try" onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>Try it</summary>
        {isOpen && <TryIt endpoint={endpoint} draft={draft} onDraft={setDraft} />}
      </details>
      <Example operation={operation} />
    </div>
  );
}

function Parameters({ operation }: { operation: Operation }) {
  const parameters = operation.parameters ?? [];
  if (parameters.length === 0) return null;
  return (
    <>
      <h4>Parameters</h4>
      <table class="fields" aria-label="Parameters">
        <tbody>
          {parameters.map(({ name, schema, required, deprecated, description = '', in: where }) => (
            <tr key={name}>
              <th scope="row">
                <code class="name">{name}</code>
                <Type schema={schema} />
                {required && <span class="mark">{where === 'path' ? 'in the path' : 'required'}</span>}
                {deprecated && <span class="mark">deprecated</span>}
              </th>
              <td>
                <Line text={description} />
                <Choices words={choices(schema)} />
                {schema.default !== undefined && (
                  <span class="default">
                    Default <code>{String(schema.default)}</code>
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function Body({ api, operation }: { api: ApiDocument; operation: Operation }) {
  const schema = operation.requestBody?.content['application/json'].schema;
  if (!schema) return null;
  return (
    <>
      <h4>Body</h4>
      <Fields api={api} schema={schema} label="Fields of the body" />
    </>
  );
}

function ResponseFields({ api, status, answer }: { api: ApiDocument; status: string; answer: ApiResponse }) {
  const schema = answer.content?.['application/json']?.schema;
  const fields = schema && itemSchema(api, schema);
  return (
    <>
      <h4>
        Response <span class="status">{status}</span>
        {schema?.$ref && <span class="type">{typeText(schema)}</span>}
      </h4>
      <Prose text={answer.description} />
      {fields && <Fields api={api} schema={fields} label={`Fields of the response ${status}`} />}
    </>
  );
}

function ErrorResponse({ status, answer }: { status: string; answer: ApiResponse }) {
  const media = answer.content?.['application/json'];
  const byCode = Object.entries(media?.examples ?? {});
  const bodies = byCode.length > 0 ? byCode.map(([, one]) => one.value) : media?.example ? [media.example] : [];
  const head = (
    <>
      <span class="status">{status}</span>{' '}
      {byCode.length > 0 ? (
        <Choices words={byCode.map(([code]) => code)} />
      ) : (
        <span>
          <Line text={answer.description} />
        </span>
      )}
    </>
  );
  if (bodies.length === 0) return <p class="other">{head}</p>;
  return (
    <details class="other">
      <summary>{head}</summary>
      {bodies.map((body) => (
        <Json key={JSON.stringify(body)} value={body} />
      ))}
    </details>
  );
}

function Example({ operation }: { operation: Operation }) {
  const [status, answer] = Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? [];
  const example = answer?.content?.['application/json']?.example;
  if (example === undefined) return null;
  return (
    <details class="example">
      <summary>
        Example response <span class="status">{status}</span>
      </summary>
      <Json value={example} />
    </details>
  );
}
