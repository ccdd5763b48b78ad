import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { authority } from '../../webhook/support/certificate.ts';
import { type Manner, Receiver } from '../../webhook/support/receiver.ts';
import type { Arrivals } from '../check/deliveries.ts';

/** Well, or unwell now and then: the third attempt finds each of these well; and one that is never well. */
const manners: readonly (Manner | ((nth: number) => Manner))[] = [
  { status: 200 },
  { slow: 300 },
  (nth) => (nth % 4 === 0 ? { status: 500 } : { status: 200 }),
  (nth) => (nth % 5 === 0 ? 'reset' : { status: 204 }),
  { status: 200 },
  { status: 503 },
];

/** A customer's HTTPS receiver, and the endpoints that are registered for it. */
export class Hooks {
  readonly receiver: Receiver;
  readonly caFile: string;
  readonly #secrets = new Map<string, string>();

  private constructor(receiver: Receiver, caFile: string) {
    this.receiver = receiver;
    this.caFile = caFile;
  }

  static async open(folder: string): Promise<Hooks> {
    const ca = authority();
    const caFile = join(folder, 'receiver-ca.pem');
    writeFileSync(caFile, ca.certificate);
    return new Hooks(await Receiver.listen(ca), caFile);
  }

  get allowed(): string {
    return `localhost:${this.receiver.port}`;
  }

  /** Three endpoints of an organization, which is the most. */
  async register(base: string, key: string): Promise<void> {
    for (const min_spread_pts of [0.5, 2, 4]) {
      const path = `/hook-${this.#secrets.size}`;
      const manner = manners[this.#secrets.size % manners.length];
      if (manner) this.receiver.manners.set(path, manner);
      const answer = await fetch(`${base}/v1/webhooks`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          url: this.receiver.url(path),
          events: ['pair.created', 'spread.threshold'],
          min_spread_pts,
        }),
      });
      const { secret } = (await answer.json()) as { secret?: string };
      if (!secret) throw new Error(`registering ${path}: ${answer.status}`);
      this.#secrets.set(path, secret);
    }
  }

  get received(): number {
    return this.receiver.received.length;
  }

  arrivals(): Arrivals {
    const all = new Map<string, { bodies: Set<string>; times: number }>();
    for (const { headers, body } of this.receiver.received) {
      const id = String(headers['x-svc-delivery']);
      const one = all.get(id) ?? { bodies: new Set(), times: 0 };
      one.bodies.add(body);
      one.times += 1;
      all.set(id, one);
    }
    return all;
  }

  /** Requests whose two signatures do not both verify, by the public library and by spec.md's own words. */
  forged(): string[] {
    return this.receiver.received.flatMap(({ path, headers, body, at }) => {
      const secret = this.#secrets.get(path);
      if (!secret) return [`${path} is nobody's`];
      const text = (name: string) => String(headers[name] ?? '');
      const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(text('x-svc-signature')) ?? [];
      const reckoned = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
      const stale = Math.abs(Number(t) * 1000 - at) > 300_000;
      if (v1 !== reckoned || stale) return [`${text('x-svc-delivery')}: its X-Svc-Signature is not ours`];
      return verified(secret, text, body) ? [] : [`${text('x-svc-delivery')}: its webhook-signature is not ours`];
    });
  }
}

function verified(secret: string, text: (name: string) => string, body: string): boolean {
  try {
    // The library looks at the age itself, against its own now: a run may be longer than its five minutes.
    const age = Math.abs(Date.now() / 1000 - Number(text('webhook-timestamp')));
    const signed = new Webhook(secret).sign(
      text('webhook-id'),
      new Date(Number(text('webhook-timestamp')) * 1000),
      body,
    );
    if (age < 240) {
      new Webhook(secret).verify(body, {
        'webhook-id': text('webhook-id'),
        'webhook-timestamp': text('webhook-timestamp'),
        'webhook-signature': text('webhook-signature'),
      });
    }
    return text('webhook-signature').split(' ').includes(signed);
  } catch {
    return false;
  }
}
