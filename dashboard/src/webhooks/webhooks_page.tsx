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
  return <WebhooksView client={useWebhooks()} />;
}

/** Answers: did my webhooks arrive? The endpoints and their deliveries. */
export function WebhooksView({ client }: { client: WebhookClient }) {
  const reading = useQuery(() => client.list(), [client], 10_000);
  const [dialog, setDialog] = useState<'register' | { secret: Registered } | { remove: Webhook }>();
  const close = () => setDialog(undefined);
  const list = reading.value;
  const missing = reading.error !== undefined && isNotFound(reading.error);
  const full = (list?.length ?? 0) >= MAX_ENDPOINTS;
  return (
    <>
      <PageHead
        title="Webhooks"
        actions={
          client.owner &&
          client.tier !== 'free' &&
          list && (
            <button
              type="button"
              class="button first"
              disabled={full}
              title={full ? `An organization can have up to ${MAX_ENDPOINTS} endpoints.` : undefined}
              onClick={() => setDialog('register')}
            >
              <Icon name="plus" />
              Register endpoint
            </button>
          )
        }
      >
        A signed POST to your server when a market is paired or a spread reaches your threshold.
      </PageHead>
      {missing ? (
        <EmptyState icon="webhooks" title="Webhooks are not available">
          This installation does not have webhooks. Ask its operator to update it.
        </EmptyState>
      ) : list ? (
        <Endpoints
          list={list}
          client={client}
          onRegister={() => setDialog('register')}
          onRemove={(remove) => setDialog({ remove })}
        />
      ) : reading.error ? (
        <Problem error={reading.error} onRetry={() => void reading.refetch()} />
      ) : (
        <div class="card wait webhook-wait" aria-busy="true" />
      )}
      {dialog === 'register' && (
        <RegisterDialog
          register={client.register}
          onClose={close}
          onDone={(secret) => {
            setDialog({ secret });
            void reading.refetch();
          }}
        />
      )}
      {typeof dialog === 'object' && 'secret' in dialog && <SecretDialog registered={dialog.secret} onClose={close} />}
      {typeof dialog === 'object' && 'remove' in dialog && (
        <RemoveDialog
          webhook={dialog.remove}
          remove={async () => {
            await client.remove(dialog.remove.id);
            await reading.refetch();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

type EndpointsProps = { list: Webhook[]; client: WebhookClient; onRegister(): void; onRemove(webhook: Webhook): void };

function Endpoints({ list, client, onRegister, onRemove }: EndpointsProps) {
  if (list.length > 0) {
    return (
      <div class="stack">
        {list.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} client={client} onRemove={() => onRemove(webhook)} />
        ))}
      </div>
    );
  }
  if (client.tier === 'free') {
    return (
      <EmptyState
        icon="webhooks"
        title="Webhooks require the Basic plan"
        action={
          <a class="button" href="/usage">
            See the plans
          </a>
        }
      >
        Basic, Premium and Pro include three endpoints each.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="webhooks"
      title="No endpoints yet"
      action={
        client.owner && (
          <button type="button" class="button" onClick={onRegister}>
            Register endpoint
          </button>
        )
      }
    >
      {client.owner
        ? 'Register an https URL. You get a secret to verify the signature of every delivery.'
        : 'Only an owner of this organization can register endpoints.'}
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
      showToast('Endpoint deleted.');
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
        <code>{webhook.url}</code> receives no more deliveries, and its secret becomes invalid.
      </p>
      <p role="alert" class="problem">
        {error}
      </p>
    </Dialog>
  );
}
