import { Webhook } from 'standardwebhooks';

type Headers = Readonly<Record<string, string | string[] | undefined>> | { get(name: string): string | null };

/**
 * Verifies a delivery and returns its body, parsed. Give the raw body, not parsed and written
 * again. While a secret is rolled, a delivery has two signatures, and one that fits is enough.
 * @throws WebhookVerificationError for a wrong signature or one that is older than five minutes
 */
export function verifyWebhook(secret: string, headers: Headers, body: string | Uint8Array): unknown {
  const one = (name: string): string => {
    const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, unknown>)[name];
    return typeof value === 'string' ? value : '';
  };
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return new Webhook(secret).verify(text, Object.fromEntries(names.map((name) => [name, one(name)])));
}

export { WebhookVerificationError } from 'standardwebhooks';
