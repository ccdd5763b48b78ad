import { Ago } from '../parts/ago.tsx';
import { points } from '../parts/figures.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { eventWords, FAILURES_MOST, type Webhook } from './webhook.ts';

const states: Record<Webhook['status'], { icon: IconName; word: string; kind: string }> = {
  enabled: { icon: 'check', word: 'Enabled', kind: 'is-up' },
  paused: { icon: 'revoke', word: 'Paused', kind: 'is-stale' },
  disabled: { icon: 'warning', word: 'Disabled', kind: 'is-down' },
};

/** Did it arrive? One endpoint with its state, its last success and its failures. */
export function WebhookCard({ webhook, owner, onRemove }: { webhook: Webhook; owner: boolean; onRemove(): void }) {
  const state = states[webhook.status];
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
              {webhook.failure_count} of {FAILURES_MOST}
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
              <li key={event} class="chip" title={eventWords[event]?.name}>
                {event}
                {event === 'spread.threshold' &&
                  webhook.min_spread_pts !== null &&
                  ` ≥ ${points(webhook.min_spread_pts)}`}
              </li>
            ))}
          </ul>
          {owner && (
            <button type="button" class="button little danger" onClick={onRemove}>
              Delete<span class="unseen"> {webhook.url}</span>
            </button>
          )}
        </div>
      </div>
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
