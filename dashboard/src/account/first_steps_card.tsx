import { useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { useQuery } from '../components/use_query.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import type { Webhook } from '../webhooks/webhook.ts';
import { readFactors } from './authenticator_card.tsx';
import { firstSteps } from './first_steps.ts';
import type { Account, KeyRow } from './types.ts';
import './first_steps.css';

const POLL_INTERVAL_MS = 15_000;

/** Remembers on this device that the steps of an organization are done or dismissed. */
const storageKeyOf = (org: string): string => `parallax.first_steps.${org}`;

/** The first steps of an organization, until all are done or an owner dismisses them. */
export function FirstStepsCard() {
  const { organization } = useMember();
  const org = organization.org_id;
  const [isOver, setIsOver] = useState(() => localStorage.getItem(storageKeyOf(org)) !== null);
  const end = () => {
    localStorage.setItem(storageKeyOf(org), 'over');
    setIsOver(true);
  };
  if (organization.role !== 'owner' || isOver) return null;
  return <Steps onEnd={end} />;
}

function Steps({ onEnd }: { onEnd(): void }) {
  const { client, organization } = useMember();
  const { call, rows } = useRpc();
  const { org_id: org, tier } = organization;
  const { value: steps, error } = useQuery(
    async () => {
      const { has_factors } = await call<Account>('read_account');
      const [keys, webhooks, factors] = await Promise.all([
        rows<KeyRow>('my_keys', { org, newestBy: ['created_at', 'key_id'] }),
        tier === 'free' ? null : rows<Webhook>('my_webhooks', { org, newestBy: ['created_at', 'id'] }),
        has_factors ? readFactors(client) : null,
      ]);
      const found = firstSteps({ keys, webhooks, hasFactor: factors && factors.length > 0 });
      if (found.every((step) => step.isDone)) onEnd();
      return found;
    },
    [org, tier],
    POLL_INTERVAL_MS,
  );
  // Without these figures no step is known to be done or not.
  if (error && !steps) return null;
  const done = steps?.filter((step) => step.isDone).length ?? 0;
  return (
    <section class="card first-steps" aria-labelledby="first-steps" aria-busy={steps === undefined}>
      <div class="first-steps-head">
        <h2 id="first-steps">First steps</h2>
        {steps && (
          <span class="muted small">
            {done} of {steps.length} done
          </span>
        )}
        <button type="button" class="button plain little" onClick={onEnd}>
          Dismiss<span class="visually-hidden"> the first steps</span>
        </button>
      </div>
      <ol>
        {steps?.map(({ title, href, isDone }) => (
          <li key={title} class={isDone ? 'is-done' : ''}>
            {isDone ? (
              <>
                <Icon name="check" />
                <span>
                  {title}
                  <span class="visually-hidden">: done</span>
                </span>
              </>
            ) : (
              <>
                <span class="open-step" aria-hidden="true" />
                <a href={href}>{title}</a>
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
