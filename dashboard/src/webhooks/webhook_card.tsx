import { useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { count, points } from '../components/format.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { showToast } from '../components/toast.tsx';
import { DeliveryHistory } from './delivery_history.tsx';
import type { WebhookClient } from './use_webhooks.ts';
import { eventLabels, MAX_FAILURES, MAX_PENDING, type Webhook } from './webhook.ts';

const states: Record<Webhook['status'], { icon: IconName; word: string; kind: string }> = {
  enabled: { icon: 'check', word: 'Enabled', kind: 'is-up' },
  paused: { icon: 'revoke', word: 'Paused', kind: 'is-stale' },
  disabled: { icon: 'warning', word: 'Disabled', kind: 'is-down' },
};

/** Did it arrive? One endpoint with its state, its last success and its failures. */
export function WebhookCard({ webhook, door, onRemove }: { webhook: Webhook; door: WebhookClient; onRemove(): void }) {
  const state = states[webhook.status];
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const [busy, setBusy] = useState(false);
  // The service refuses both where the endpoint receives nothing.
  const sends = door.owner && webhook.status === 'enabled';
  const sendTest = async () => {
    setBusy(true);
    try {
      await door.test(webhook.id);
      showToast('A test is on its way.');
      setSent(sent + 1);
      setOpen(true);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  return (
    <article class="card webhook" aria-label={webhook.url}>
      <div class="card-head">
        <h2 class="mono">{webhook.url}</h2>
        <span class={`state ${state.kind}`}>
          <Icon name={state.icon} />
          {state.word}
        </span>
      </div>
      <div class="card-body">
        <dl class="webhook-facts">
          <div>
            <dt>Last arrived</dt>
            <dd>
              <Ago at={webhook.last_success_at} none="Never yet" />
            </dd>
          </div>
          <div>
            <dt>Last failed</dt>
            <dd>
              <Ago at={webhook.last_failure_at} none="Never" />
            </dd>
          </div>
          <div>
            <dt>Failures in a row</dt>
            <dd class={webhook.failure_count > 0 ? 'is-stale' : ''}>
              {webhook.failure_count} of {MAX_FAILURES}
            </dd>
          </div>
          <div>
            <dt>Pending</dt>
            <dd
              class={webhook.pending >= MAX_PENDING ? 'is-stale' : ''}
              title={`The oldest beyond ${count(MAX_PENDING)} are not sent.`}
            >
              {count(webhook.pending)}
            </dd>
          </div>
          <div>
            <dt>Secret</dt>
            <dd>
              <code>{webhook.secret_preview}…</code>
            </dd>
          </div>
        </dl>
        {webhook.status !== 'enabled' && <p class="note">{reasonOf(webhook)}</p>}
        <div class="webhook-foot">
          <ul class="webhook-events">
            {webhook.events.map((event) => (
              <li key={event} class="chip" title={eventLabels[event]?.name}>
                {event}
                {event === 'spread.threshold' &&
                  webhook.min_spread_pts !== null &&
                  ` ≥ ${points(webhook.min_spread_pts)}`}
              </li>
            ))}
          </ul>
          <div class="buttons">
            {sends && (
              <button type="button" class="button little" disabled={busy} onClick={() => void sendTest()}>
                Send test<span class="unseen"> to {webhook.url}</span>
              </button>
            )}
            <button type="button" class="button little" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide deliveries' : 'Deliveries'}
              <span class="unseen"> to {webhook.url}</span>
            </button>
            {door.owner && (
              <button type="button" class="button little danger" onClick={onRemove}>
                Delete<span class="unseen"> {webhook.url}</span>
              </button>
            )}
          </div>
        </div>
      </div>
      {open && (
        <DeliveryHistory
          read={(state, before) => door.deliveries(webhook.id, state, before)}
          replay={sends ? door.replay : undefined}
          sent={sent}
        />
      )}
    </article>
  );
}

function reasonOf({ status, disabled_reason }: Webhook): string {
  if (status === 'paused') return 'Free has no webhooks. It goes on by itself when the plan is Basic or above.';
  if (disabled_reason === 'delivery_failures') {
    return 'Twenty deliveries in a row have failed. Mend the receiver, delete this endpoint and register it again.';
  }
  return 'It receives nothing any more. Delete it and register it again.';
}
