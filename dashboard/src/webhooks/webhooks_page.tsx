import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useReading } from '../components/reading.ts';
import { say } from '../components/toast.tsx';
import './webhooks.css';
import { RegisterDialog } from './register_dialog.tsx';
import { SecretDialog } from './secret_dialog.tsx';
import { isNotThere, MOST, type Registered, type Webhook } from './webhook.ts';
import { WebhookCard } from './webhook_card.tsx';
import { useWebhookDoor, type WebhookDoor } from './webhook_door.ts';

export function WebhooksPage() {
  return <WebhooksView door={useWebhookDoor()} />;
}

/** Did it arrive? Where deliveries go, and how they fare. */
export function WebhooksView({ door }: { door: WebhookDoor }) {
  const reading = useReading(() => door.list(), [door], 10_000);
  const [asked, setAsked] = useState<'register' | { secret: Registered } | { remove: Webhook }>();
  const close = () => setAsked(undefined);
  const list = reading.value;
  const missing = reading.error !== undefined && isNotThere(reading.error);
  const full = (list?.length ?? 0) >= MOST;
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
              title={full ? `An organization has ${MOST} endpoints at most.` : undefined}
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
        <Problem error={reading.error} again={() => void reading.again()} />
      ) : (
        <div class="card wait webhook-wait" aria-busy="true" />
      )}
      {asked === 'register' && (
        <RegisterDialog
          register={door.register}
          onClose={close}
          onDone={(secret) => {
            setAsked({ secret });
            void reading.again();
          }}
        />
      )}
      {typeof asked === 'object' && 'secret' in asked && <SecretDialog registered={asked.secret} onClose={close} />}
      {typeof asked === 'object' && 'remove' in asked && (
        <RemoveDialog
          webhook={asked.remove}
          remove={async () => {
            await door.remove(asked.remove.id);
            await reading.again();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

type EndpointsProps = { list: Webhook[]; door: WebhookDoor; onRegister(): void; onRemove(webhook: Webhook): void };

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
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await remove();
      say('The endpoint is deleted.');
      onClose();
    } catch (error) {
      setFault((error as Error).message);
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
        {fault}
      </p>
    </Dialog>
  );
}
