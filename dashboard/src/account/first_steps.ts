import type { KeyRow } from './types.ts';

/** What the steps are decided by. `hasFactor` null: Auth has no second factors. */
export type FirstStepsData = {
  keys: readonly Pick<KeyRow, 'last_used_at'>[];
  /** Null where the plan includes no webhooks. */
  webhooks: readonly { last_success_at: string | null }[] | null;
  hasFactor: boolean | null;
};

export type FirstStep = { title: string; href: string; isDone: boolean };

/** The steps of a new organization, each true from what is stored. */
export function firstSteps({ keys, webhooks, hasFactor }: FirstStepsData): FirstStep[] {
  const steps: FirstStep[] = [
    { title: 'Create a first key', href: '/keys?new', isDone: keys.length > 0 },
    { title: 'Make a first request', href: '/docs/', isDone: keys.some((key) => key.last_used_at !== null) },
  ];
  if (webhooks !== null) {
    const isDone = webhooks.some((one) => one.last_success_at !== null);
    steps.push({ title: 'Receive a first webhook', href: '/webhooks', isDone });
  }
  if (hasFactor !== null) steps.push({ title: 'Set up an authenticator', href: '/account', isDone: hasFactor });
  return steps;
}
