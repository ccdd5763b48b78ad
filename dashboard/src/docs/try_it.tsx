import { useId, useState } from 'preact/hooks';
import { API_URL } from '../api_url.ts';
import { Dialog } from '../components/dialog.tsx';
import { AnswerView } from './answer_view.tsx';
import type { Endpoint, Parameter } from './document.ts';
import { addressOf, bodyOf, type Draft, missingOf } from './draft.ts';
import { setOwnKey, useOwnKey } from './own_key.ts';
import { ParameterField } from './parameter_field.tsx';
import { type Answer, sendRequest } from './send_request.ts';

type TryItProps = { endpoint: Endpoint; draft: Draft; onDraft(draft: Draft): void };

type Outcome =
  | { state: 'idle' | 'sending' }
  | { state: 'failed'; message: string }
  | { state: 'answered'; answer: Answer };

/** A form that sends the request of an endpoint with the reader's own key, and its answer. */
export function TryIt({ endpoint, draft, onDraft }: TryItProps) {
  const { method, operation } = endpoint;
  const key = useOwnKey();
  const { outcome, send } = useSend(endpoint, draft, key);
  const [isAsking, setAsking] = useState(false);
  const id = useId();

  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    if (outcome.state === 'sending') return;
    if (method === 'GET' || problemOf(endpoint, draft)) void send();
    else setAsking(true);
  };
  return (
    <div class="try-it">
      <form noValidate onSubmit={onSubmit}>
        {!operation.security && <KeyField id={`${id}-key`} value={key} />}
        <Parameters id={id} endpoint={endpoint} draft={draft} onDraft={onDraft} />
        {draft.body !== undefined && (
          <div class="try-field">
            <label for={`${id}-body`}>Body (JSON)</label>
            <textarea
              id={`${id}-body`}
              class="input"
              rows={Math.min(14, draft.body.split('\n').length + 1)}
              value={draft.body}
              spellcheck={false}
              onInput={(event) => onDraft({ ...draft, body: event.currentTarget.value })}
            />
          </div>
        )}
        <p class="try-send">
          <button type="submit" class="button first">
            {outcome.state === 'sending' ? 'Sending…' : 'Send'}
          </button>
          <code class="try-address">
            {method} {addressOf(endpoint, draft)}
          </code>
        </p>
      </form>
      <div role="status">{outcome.state === 'answered' && <StatusForReaders answer={outcome.answer} />}</div>
      {outcome.state === 'failed' && (
        <p class="problem" role="alert">
          {outcome.message}
        </p>
      )}
      {outcome.state === 'answered' && <AnswerView answer={outcome.answer} />}
      {isAsking && (
        <Confirmation
          endpoint={endpoint}
          address={addressOf(endpoint, draft)}
          onClose={() => setAsking(false)}
          onSend={() => {
            setAsking(false);
            void send();
          }}
        />
      )}
    </div>
  );
}

function StatusForReaders({ answer }: { answer: Answer }) {
  return <span class="visually-hidden">{`Answered with status ${answer.status} in ${answer.ms} milliseconds.`}</span>;
}

function useSend(endpoint: Endpoint, draft: Draft, key: string): { outcome: Outcome; send(): Promise<void> } {
  const [outcome, setOutcome] = useState<Outcome>({ state: 'idle' });
  const send = async () => {
    const problem = problemOf(endpoint, draft);
    if (problem) return setOutcome({ state: 'failed', message: problem });
    setOutcome({ state: 'sending' });
    const own = endpoint.operation.security ? '' : key;
    try {
      const { headers = {} } = endpoint.operation['x-example-request'] ?? {};
      const sent = { key: own, headers, body: draft.body };
      const answer = await sendRequest(endpoint.method, API_URL + addressOf(endpoint, draft), sent);
      setOutcome({ state: 'answered', answer });
    } catch (error) {
      setOutcome({ state: 'failed', message: (error as Error).message });
    }
  };
  return { outcome, send };
}

/** Why a draft is no request. The API checks everything else and answers with its own error. */
function problemOf(endpoint: Endpoint, draft: Draft): string {
  const missing = missingOf(endpoint, draft);
  if (missing.length > 0) return `Enter ${missing.join(' and ')}: it is a part of the path.`;
  try {
    bodyOf(draft);
    return '';
  } catch (error) {
    return `The body is not JSON: ${(error as Error).message}`;
  }
}

function KeyField({ id, value }: { id: string; value: string }) {
  return (
    <div class="try-field">
      <label for={id}>Your API key</label>
      <div class="try-key">
        {/* Not of the type password: a password manager would offer to keep it. */}
        <input
          id={id}
          class="input own-key"
          type="text"
          value={value}
          placeholder="sk_live_…"
          autocomplete="off"
          spellcheck={false}
          aria-describedby={`${id}-note`}
          onInput={(event) => setOwnKey(event.currentTarget.value.trim())}
        />
        {value && (
          <button type="button" class="button" onClick={() => setOwnKey('')}>
            Forget
          </button>
        )}
      </div>
      <p id={`${id}-note`} class="try-note">
        It stays in this tab until you close it, and is sent to this API only. A request counts like any other.{' '}
        <a href="/keys">Create a key</a>
      </p>
    </div>
  );
}

/** The parameters of the example and the required ones; the others on request. */
function Parameters({ id, endpoint, draft, onDraft }: TryItProps & { id: string }) {
  const all = endpoint.operation.parameters ?? [];
  const [first] = useState(
    () => new Set(all.filter(({ name, required }) => required || draft.values[name]).map(({ name }) => name)),
  );
  const isShort = all.length <= 6;
  const field = (parameter: Parameter) => (
    <ParameterField
      key={parameter.name}
      id={`${id}-${parameter.name}`}
      parameter={parameter}
      value={draft.values[parameter.name] ?? ''}
      onChange={(value) => onDraft({ ...draft, values: { ...draft.values, [parameter.name]: value } })}
    />
  );
  const others = all.filter(({ name }) => !isShort && !first.has(name));
  return (
    <>
      <div class="try-fields">{all.filter((one) => !others.includes(one)).map(field)}</div>
      {others.length > 0 && (
        <details class="try-more">
          <summary>{others.length} more parameters</summary>
          <div class="try-fields">{others.map(field)}</div>
        </details>
      )}
    </>
  );
}

type ConfirmationProps = { endpoint: Endpoint; address: string; onClose(): void; onSend(): void };

function Confirmation({ endpoint: { method, operation }, address, onClose, onSend }: ConfirmationProps) {
  const isDelete = method === 'DELETE';
  return (
    <Dialog
      title={`${operation.summary}?`}
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="button" class={isDelete ? 'button danger' : 'button first'} onClick={onSend}>
            Send {method}
          </button>
        </>
      }
    >
      <p>
        <code>
          {method} {address}
        </code>
      </p>
      <p>
        {isDelete
          ? 'This deletes something of your organization. It cannot be undone.'
          : 'This request is real: it can change your organization.'}
      </p>
    </Dialog>
  );
}
