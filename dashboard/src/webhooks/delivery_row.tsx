import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { showToast } from '../components/toast.tsx';
import { canReplay, type Delivery, deliveryStates, MAX_ATTEMPTS, resultText } from './delivery.ts';

type RowProps = {
  delivery: Delivery;
  /** Absent where the reader may not send it again. */
  replay?: ((id: string) => Promise<void>) | undefined;
};

/** One delivery: what it was, how it went, what the receiver said. */
export function DeliveryRow({ delivery, replay }: RowProps) {
  const state = deliveryStates[delivery.state];
  const [busy, setBusy] = useState(false);
  const again = async () => {
    if (!replay || busy) return;
    setBusy(true);
    try {
      await replay(delivery.delivery_id);
      showToast('It is sent again, with the same id and body.');
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
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to take the focus. */}
          <pre tabIndex={0}>{spaced(delivery.body)}</pre>
        </details>
      </td>
      <td class="nowrap muted" data-label="Decided">
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
          <button type="button" class="button little" disabled={busy} onClick={() => void again()}>
            Replay<span class="unseen"> {delivery.delivery_id}</span>
          </button>
        )}
      </td>
    </tr>
  );
}

/** When it ended, or is tried next. */
function When({ delivery: { state, next_attempt_at, finished_at } }: { delivery: Delivery }) {
  if (state !== 'waiting') return <Ago at={finished_at} />;
  if (next_attempt_at === null) return <>on its way</>;
  return (
    <>
      next <Ago at={next_attempt_at} />
    </>
  );
}

/** The body as people read it; as it is where it is no JSON. */
function spaced(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
