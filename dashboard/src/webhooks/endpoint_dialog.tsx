import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { EventChoice } from './event_choice.tsx';
import { type EndpointFields, validateEndpoint, withoutUnused } from './webhook.ts';

type EndpointProps = {
  /** The endpoint that is changed; undefined for a new one. */
  current?: EndpointFields;
  /** The address of the local inbox, if this host has one. */
  inbox: string | null;
  save(fields: EndpointFields): Promise<void>;
  onClose(): void;
};

const newEndpoint: EndpointFields = {
  url: '',
  events: ['pair.created'],
  min_spread_pts: 3,
  min_edge_pct: null,
  min_profit_usd: null,
};

/** Registers or changes an endpoint: URL, events and their thresholds. */
export function EndpointDialog({ current, inbox, save, onClose }: EndpointProps) {
  const [fields, setFields] = useState<EndpointFields>(
    current ? { ...current, min_spread_pts: current.min_spread_pts ?? newEndpoint.min_spread_pts } : newEndpoint,
  );
  const [error, setError] = useState<string | null>(null);
  const [urlError, setUrlError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const change = (some: Partial<EndpointFields>) => setFields({ ...fields, ...some });
  const setUrl = (url: string) => {
    change({ url });
    setUrlError(null);
  };

  const send = async () => {
    const wrong = validateEndpoint(fields, inbox);
    setError(wrong);
    setUrlError(null);
    if (wrong || busy) return;
    setBusy(true);
    try {
      await save(withoutUnused(fields));
    } catch (error) {
      const { field, message } = error as Error & { field?: string };
      (field === 'url' ? setUrlError : setError)(message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={current ? 'Edit this endpoint' : 'Register an endpoint'}
      onClose={onClose}
      onSubmit={() => void send()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy}>
            {busy ? 'Checking…' : current ? 'Save' : 'Register'}
          </button>
        </>
      }
    >
      <label class="field">
        <span>URL</span>
        <input
          class="input"
          type="url"
          name="url"
          required
          placeholder="https://…"
          value={fields.url}
          aria-invalid={urlError !== null}
          aria-describedby="url-error"
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
        <span id="url-error" role="alert" class="problem">
          {urlError}
        </span>
        <small>https only, reachable from the internet. It must respond with 2xx within five seconds.</small>
      </label>
      {inbox !== null && !fields.url.startsWith(inbox) && (
        <p class="inbox-offer">
          <span class="small muted">No server yet? This installation has an inbox that receives webhooks.</span>
          <button type="button" class="button little" onClick={() => setUrl(`${inbox}first`)}>
            Use the inbox
          </button>
        </p>
      )}
      <EventChoice fields={fields} onChange={change} />
      <p role="alert" class="problem">
        {error}
      </p>
    </Dialog>
  );
}
