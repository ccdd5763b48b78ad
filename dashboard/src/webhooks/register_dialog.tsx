import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { eventLabels, events, type Registered, validateRegistration, type WebhookEvent } from './webhook.ts';

type RegisterProps = {
  register(url: string, events: readonly WebhookEvent[], threshold: number | null): Promise<Registered>;
  onClose(): void;
  onDone(registered: Registered): void;
};

/** Registers an endpoint: URL, events and threshold. */
export function RegisterDialog({ register, onClose, onDone }: RegisterProps) {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(['pair.created']);
  const [threshold, setThreshold] = useState(3);
  const [error, setError] = useState<string | null>(null);
  const [urlError, setUrlError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const withThreshold = chosen.includes('spread.threshold');

  const send = async () => {
    const wrong = validateRegistration(url, chosen, threshold);
    setError(wrong);
    setUrlError(null);
    if (wrong || busy) return;
    setBusy(true);
    try {
      onDone(await register(url, chosen, withThreshold ? threshold : null));
    } catch (error) {
      const { field, message } = error as Error & { field?: string };
      (field === 'url' ? setUrlError : setError)(message);
      setBusy(false);
    }
  };
  const toggle = (event: WebhookEvent) =>
    setChosen(chosen.includes(event) ? chosen.filter((one) => one !== event) : [...chosen, event]);
  return (
    <Dialog
      title="Register an endpoint"
      onClose={onClose}
      onSubmit={() => void send()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy}>
            {busy ? 'Checking the URL…' : 'Register'}
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
          value={url}
          aria-invalid={urlError !== null}
          aria-describedby="url-error"
          onInput={(event) => {
            setUrl(event.currentTarget.value);
            setUrlError(null);
          }}
        />
        <span id="url-error" role="alert" class="problem">
          {urlError}
        </span>
        <small>https only, reachable from the internet. It must respond with 2xx within five seconds.</small>
      </label>
      <fieldset class="events">
        <legend>Events</legend>
        {events.map((event) => (
          <label key={event}>
            <input type="checkbox" name={event} checked={chosen.includes(event)} onChange={() => toggle(event)} />
            <span>
              {eventLabels[event].name} <code>{event}</code>
              <small class="muted">{eventLabels[event].why}</small>
            </span>
          </label>
        ))}
      </fieldset>
      {withThreshold && (
        <label class="field threshold">
          <span>Threshold in points, 0.5 to 50</span>
          <input
            class="input"
            type="number"
            name="threshold"
            min={0.5}
            max={50}
            step={0.5}
            required
            value={threshold}
            onInput={(event) => setThreshold(event.currentTarget.valueAsNumber)}
          />
        </label>
      )}
      <p role="alert" class="problem">
        {error}
      </p>
    </Dialog>
  );
}
