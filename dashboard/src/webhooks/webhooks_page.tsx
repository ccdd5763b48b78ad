import { useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { OldData } from '../components/old_data.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { readConfig } from '../config.ts';
import './webhooks.css';
import { useWebhooks, type WebhookClient } from './use_webhooks.ts';
import { isNotFound, MAX_ENDPOINTS, type Webhook } from './webhook.ts';
import { WebhookCard } from './webhook_card.tsx';
import { type OpenDialog, WebhookDialog } from './webhook_dialog.tsx';

/** The address of the local inbox; null where this host has none. */
const useInbox = (): string | null => useQuery(readConfig, []).value?.inbox ?? null;

export function WebhooksPage() {
  return <WebhooksView client={useWebhooks()} />;
}

/** Answers: did my webhooks arrive? The endpoints and their deliveries. */
export function WebhooksView({ client }: { client: WebhookClient }) {
  const reading = useQuery(() => client.list(), [client], 10_000);
  const inbox = useInbox();
  const [dialog, setDialog] = useState<OpenDialog>();
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
              onClick={() => setDialog({ name: 'register' })}
            >
              <Icon name="plus" />
              Register endpoint
            </button>
          )
        }
      >
        A signed POST to your server when a market is paired, a spread reaches your threshold or an opportunity opens.
      </PageHead>
      {missing ? (
        <EmptyState icon="webhooks" title="Webhooks are not available">
          This installation does not have webhooks. Ask its operator to update it.
        </EmptyState>
      ) : list ? (
        <div class="stack">
          <OldData reading={reading} />
          <Endpoints
            list={list}
            client={client}
            inbox={inbox}
            onOpen={setDialog}
            onEnabled={() => void reading.refetch()}
          />
        </div>
      ) : reading.error ? (
        <Problem error={reading.error} onRetry={() => void reading.refetch()} />
      ) : (
        <div class="card wait webhook-wait" aria-busy="true" />
      )}
      {dialog && (
        <WebhookDialog
          dialog={dialog}
          client={client}
          inbox={inbox}
          onChange={setDialog}
          onDone={() => void reading.refetch()}
        />
      )}
    </>
  );
}

type EndpointsProps = {
  list: Webhook[];
  client: WebhookClient;
  inbox: string | null;
  onOpen(dialog: OpenDialog): void;
  onEnabled(): void;
};

function Endpoints({ list, client, inbox, onOpen, onEnabled }: EndpointsProps) {
  if (list.length > 0) {
    return (
      <div class="stack">
        {list.map((webhook) => (
          <WebhookCard
            key={webhook.id}
            webhook={webhook}
            client={client}
            inbox={inbox}
            onEdit={() => onOpen({ name: 'edit', webhook })}
            onRoll={() => onOpen({ name: 'roll', webhook })}
            onRemove={() => onOpen({ name: 'remove', webhook })}
            onEnabled={onEnabled}
          />
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
          <button type="button" class="button" onClick={() => onOpen({ name: 'register' })}>
            Register endpoint
          </button>
        )
      }
    >
      {client.owner
        ? `Register an https URL${inbox === null ? '' : ', or the inbox of this installation'}. You get a secret to verify the signature of every delivery.`
        : 'Only an owner of this organization can register endpoints.'}
    </EmptyState>
  );
}
