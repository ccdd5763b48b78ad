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

type CardProps = {
  webhook: Webhook;
  client: WebhookClient;
  /** The address of the local inbox, if this host has one. */
  inbox: string | null;
  onEdit(): void;
  onRoll(): void;
  onRemove(): void;
  onEnabled(): void;
};

/**
 * One endpoint: state, last success, last failure, pending deliveries, and its delivery history.
 */
export function WebhookCard({ webhook, client, inbox, onEdit, onRoll, onRemove, onEnabled }: CardProps) {
  const state = states[webhook.status];
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState(0);
  const [busy, setBusy] = useState(false);
  // The service rejects a test and a replay when the endpoint is not enabled.
  const sends = client.owner && webhook.status === 'enabled';
  const sendTest = async () => {
    setBusy(true);
    try {
      await client.test(webhook.id);
      showToast('Test queued.');
      setSent(sent + 1);
      setOpen(true);
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  const enable = async () => {
    setBusy(true);
    try {
      await client.enable(webhook.id);
      showToast('Endpoint enabled.');
      onEnabled();
    } catch (error) {
      showToast((error as Error).message, true);
    }
    setBusy(false);
  };
  const changes = client.owner && webhook.status !== 'paused';
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
            <dt>Last success</dt>
            <dd>
              <Ago at={webhook.last_success_at} none="Never" />
            </dd>
          </div>
          <div>
            <dt>Last failure</dt>
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
              title={`When more than ${count(MAX_PENDING)} are pending, the oldest are dropped.`}
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
        {webhook.status !== 'enabled' && (
          <div class="note">
            <p>{reasonOf(webhook, client.owner)}</p>
            {client.owner && webhook.status === 'disabled' && (
              <button type="button" class="button little first" disabled={busy} onClick={() => void enable()}>
                Enable again<span class="visually-hidden"> {webhook.url}</span>
              </button>
            )}
          </div>
        )}
        {webhook.previous_secret_until && (
          <p class="note">
            Two signatures: the secret was rolled, and the old one signs too. The change ends{' '}
            <Ago at={webhook.previous_secret_until} />.
          </p>
        )}
        <div class="webhook-foot">
          <ul class="webhook-events">
            {webhook.events.map((event) => (
              <li key={event} class="chip" title={eventLabels[event]?.name}>
                {event}
                {event === 'spread.threshold' &&
                  webhook.min_spread_pts !== null &&
                  ` ≥ ${points(webhook.min_spread_pts)}`}
                {event === 'opportunity.opened' && webhook.min_edge_pct !== null && ` ≥ ${webhook.min_edge_pct} %`}
                {event === 'opportunity.opened' && webhook.min_profit_usd !== null && ` ≥ $${webhook.min_profit_usd}`}
              </li>
            ))}
          </ul>
          <div class="buttons">
            {sends && (
              <button type="button" class="button little" disabled={busy} onClick={() => void sendTest()}>
                Send test<span class="visually-hidden"> to {webhook.url}</span>
              </button>
            )}
            <button type="button" class="button little" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? 'Hide deliveries' : 'Deliveries'}
              <span class="visually-hidden"> to {webhook.url}</span>
            </button>
            {inbox !== null && webhook.url.startsWith(inbox) && (
              <a class="button little" href={webhook.url} target="_blank" rel="noreferrer">
                Open the inbox
              </a>
            )}
            {changes && (
              <>
                <button type="button" class="button little" onClick={onEdit}>
                  Edit<span class="visually-hidden"> {webhook.url}</span>
                </button>
                <button type="button" class="button little" onClick={onRoll}>
                  Roll secret<span class="visually-hidden"> of {webhook.url}</span>
                </button>
              </>
            )}
            {client.owner && (
              <button type="button" class="button little danger" onClick={onRemove}>
                Delete<span class="visually-hidden"> {webhook.url}</span>
              </button>
            )}
          </div>
        </div>
      </div>
      {open && (
        <DeliveryHistory
          read={(state, before) => client.deliveries(webhook.id, state, before)}
          replay={sends ? client.replay : undefined}
          sent={sent}
        />
      )}
    </article>
  );
}

function reasonOf({ status, disabled_reason }: Webhook, isOwner: boolean): string {
  if (status === 'paused') {
    return 'Paused: your plan is inactive or includes no webhooks. Deliveries resume when that changes.';
  }
  const why =
    disabled_reason === 'delivery_failures'
      ? `Disabled after ${MAX_FAILURES} failed deliveries in a row.`
      : 'This endpoint receives no deliveries.';
  const next = isOwner ? 'Fix the receiver, then enable the endpoint again.' : 'An owner can enable it again.';
  return `${why} ${next} Events from before are not sent again.`;
}
