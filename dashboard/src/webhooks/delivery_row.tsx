import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { showToast } from '../components/toast.tsx';
import { canReplay, type Delivery, deliveryStates, MAX_ATTEMPTS, resultText } from './delivery.ts';

type RowProps = {
  delivery: Delivery;
  /** Absent when the user may not replay. */
  replay?: ((id: string) => Promise<void>) | undefined;
};

/** One delivery: event, state, attempts and the last response of the receiver. */
export function DeliveryRow({ delivery, replay }: RowProps) {
  const state = deliveryStates[delivery.state];
  const [busy, setBusy] = useState(false);
  const sendAgain = async () => {
    if (!replay || busy) return;
    setBusy(true);
    try {
      await replay(delivery.delivery_id);
      showToast('Replay queued, with the same id and body.');
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  return (
    <tr>
      <td class="nowrap">
        <span class={`state ${state.kind}`}>
          <Icon name={state.icon} />
          {state.word}
        </span>
        <span class="delivery-when small muted">
          <When delivery={delivery} />
        </span>
      </td>
      <td class="delivery-what">
        <details>
          <summary>{delivery.event}</summary>
          <p class="small muted">
            Delivery <code>{delivery.delivery_id}</code>
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard. */}
          <pre tabIndex={0}>{spaced(delivery.body)}</pre>
        </details>
      </td>
      <td class="nowrap muted" data-label="Created">
        <Ago at={delivery.created_at} />
      </td>
      <td class="number nowrap" data-label="Attempts">
        {delivery.attempts} of {MAX_ATTEMPTS}
      </td>
      <td class="delivery-answer">
        {resultText(delivery) ?? <span class="muted">Not yet</span>}
        {delivery.last_took_ms !== null && <span class="muted"> · {count(delivery.last_took_ms)} ms</span>}
        {delivery.last_answer && <q class="small mono">{delivery.last_answer}</q>}
      </td>
      <td class="number delivery-act">
        {replay && canReplay(delivery) && (
          <button type="button" class="button little" disabled={busy} onClick={() => void sendAgain()}>
            Replay<span class="visually-hidden"> {delivery.delivery_id}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** When the delivery ended, or when the next attempt is due. */
function When({ delivery: { state, next_attempt_at, finished_at } }: { delivery: Delivery }) {
  if (state !== 'waiting') return <Ago at={finished_at} />;
  if (next_attempt_at === null) return <>in progress</>;
  return (
    <>
      next <Ago at={next_attempt_at} />
    </>
  );
}

/** The body as indented JSON; unchanged when it is not JSON. */
function spaced(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
