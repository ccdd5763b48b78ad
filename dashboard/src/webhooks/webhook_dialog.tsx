import { showToast } from '../components/toast.tsx';
import { ConfirmDialog } from './confirm_dialog.tsx';
import { EndpointDialog } from './endpoint_dialog.tsx';
import { SecretDialog, type ShownSecret } from './secret_dialog.tsx';
import type { WebhookClient } from './use_webhooks.ts';
import type { EndpointFields, Webhook } from './webhook.ts';

/** The dialog of the Webhooks page that is open. */
export type OpenDialog =
  | { name: 'register' }
  | { name: 'secret'; shown: ShownSecret }
  | { name: 'edit' | 'roll' | 'remove'; webhook: Webhook };

type DialogProps = {
  dialog: OpenDialog;
  client: WebhookClient;
  inbox: string | null;
  /** Opens the next dialog, or none. */
  onChange(dialog: OpenDialog | undefined): void;
  /** An endpoint has changed. */
  onDone(): void;
};

export function WebhookDialog({ dialog, client, inbox, onChange, onDone }: DialogProps) {
  const close = () => onChange(undefined);
  const done = (text: string) => {
    showToast(text);
    close();
    onDone();
  };
  const register = async (fields: EndpointFields) => {
    const { url, secret } = await client.register(fields);
    onChange({ name: 'secret', shown: { url, secret } });
    onDone();
  };
  if (dialog.name === 'register') return <EndpointDialog inbox={inbox} save={register} onClose={close} />;
  if (dialog.name === 'secret') return <SecretDialog shown={dialog.shown} onClose={close} />;
  const { webhook } = dialog;
  if (dialog.name === 'edit') {
    const save = async ({ url, ...fields }: EndpointFields) => {
      await client.change(webhook.id, url === webhook.url ? fields : { url, ...fields });
      done('Endpoint saved.');
    };
    return <EndpointDialog current={fieldsOf(webhook)} inbox={inbox} save={save} onClose={close} />;
  }
  if (dialog.name === 'roll') {
    const roll = async () => {
      const { secret, previous_secret_until } = await client.roll(webhook.id);
      onChange({ name: 'secret', shown: { url: webhook.url, secret, previous_secret_until } });
      onDone();
    };
    return (
      <ConfirmDialog title="Roll the secret?" action="Roll secret" act={roll} onClose={close}>
        <p>
          Deliveries to <code>{webhook.url}</code> get a new secret. For 24 hours they have two signatures, one of the
          old secret and one of the new, so no delivery is rejected while you change your receiver.
        </p>
        {webhook.previous_secret_until && <p>The secret before this one stops signing at once.</p>}
      </ConfirmDialog>
    );
  }
  const remove = async () => {
    await client.remove(webhook.id);
    done('Endpoint deleted.');
  };
  return (
    <ConfirmDialog title="Delete this endpoint?" action="Delete" danger act={remove} onClose={close}>
      <p>
        <code>{webhook.url}</code> receives no more deliveries, and its secret becomes invalid.
      </p>
    </ConfirmDialog>
  );
}

const fieldsOf = ({ url, events, min_spread_pts, min_edge_pct, min_profit_usd }: Webhook): EndpointFields => ({
  url,
  events,
  min_spread_pts,
  min_edge_pct,
  min_profit_usd,
});
