import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { showToast } from '../components/toast.tsx';
import { useQuery } from '../components/use_query.ts';
import './webhooks.css';
import { RegisterDialog } from './register_dialog.tsx';
import { SecretDialog } from './secret_dialog.tsx';
import { useWebhooks, type WebhookClient } from './use_webhooks.ts';
import { isNotFound, MAX_ENDPOINTS, type Registered, type Webhook } from './webhook.ts';
import { WebhookCard } from './webhook_card.tsx';

export function WebhooksPage() {
  return <WebhooksView door={useWebhooks()} />;
}

/** Did it arrive? Where deliveries go, and how they fare. */
export function WebhooksView({ door }: { door: WebhookClient }) {
  const reading = useQuery(() => door.list(), [door], 10_000);
  const [asked, setAsked] = useState<'register' | { secret: Registered } | { remove: Webhook }>();
  const close = () => setAsked(undefined);
  const list = reading.value;
  const missing = reading.error !== undefined && isNotFound(reading.error);
  const full = (list?.length ?? 0) >= MAX_ENDPOINTS;
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          door.owner &&
          door.tier !== 'free' &&
          list && (
            <button
              type="button"
              class="button first"
              disabled={full}
              title={full ? `An organization has ${MAX_ENDPOINTS} endpoints at most.` : undefined}
              onClick={() => setAsked('register')}
            >
              <Icon name="plus" />
              Register an endpoint
            </button>
          )
        }
      >
        Did it arrive? A signed POST to your server when a market is paired, or a gap reaches your threshold.
      </PageHead>
      {missing ? (
        <EmptyState icon="webhooks" title="Deliveries come with a later step">
          This service does not send webhooks yet. Endpoints are registered here as soon as it does.
        </EmptyState>
      ) : list ? (
        <Endpoints
          list={list}
          door={door}
          onRegister={() => setAsked('register')}
          onRemove={(remove) => setAsked({ remove })}
        />
      ) : reading.error ? (
        <Problem error={reading.error} onRetry={() => void reading.refetch()} />
      ) : (
        <div class="card wait webhook-wait" aria-busy="true" />
      )}
      {asked === 'register' && (
        <RegisterDialog
          register={door.register}
          onClose={close}
          onDone={(secret) => {
            setAsked({ secret });
            void reading.refetch();
          }}
        />
      )}
      {typeof asked === 'object' && 'secret' in asked && <SecretDialog registered={asked.secret} onClose={close} />}
      {typeof asked === 'object' && 'remove' in asked && (
        <RemoveDialog
          webhook={asked.remove}
          remove={async () => {
            await door.remove(asked.remove.id);
            await reading.refetch();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

type EndpointsProps = { list: Webhook[]; door: WebhookClient; onRegister(): void; onRemove(webhook: Webhook): void };

function Endpoints({ list, door, onRegister, onRemove }: EndpointsProps) {
  if (list.length > 0) {
    return (
      <div class="stack">
        {list.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} door={door} onRemove={() => onRemove(webhook)} />
        ))}
      </div>
    );
  }
  if (door.tier === 'free') {
    return (
      <EmptyState
        icon="webhooks"
        title="Webhooks come with Basic"
        action={
          <a class="button" href="/usage">
            See the plans
          </a>
        }
      >
        Basic, Premium and Pro have three endpoints each.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="webhooks"
      title="No endpoint yet"
      action={
        door.owner && (
          <button type="button" class="button" onClick={onRegister}>
            Register the first
          </button>
        )
      }
    >
      {door.owner
        ? 'Name an https address of yours; you get a secret that signs every delivery.'
        : 'An owner can register one.'}
    </EmptyState>
  );
}

function RemoveDialog({ webhook, remove, onClose }: { webhook: Webhook; remove(): Promise<void>; onClose(): void }) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await remove();
      showToast('The endpoint is deleted.');
      onClose();
    } catch (error) {
      setError((error as Error).message);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Delete this endpoint?"
      onClose={onClose}
      onSubmit={() => void send()}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={busy}>
            Delete
          </button>
        </>
      }
    >
      <p>
        <code>{webhook.url}</code> receives nothing from then on, and its secret is worth nothing.
      </p>
      <p role="alert" class="problem">
        {error}
      </p>
    </Dialog>
  );
}
