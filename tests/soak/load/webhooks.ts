import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { type Authority, createAuthority } from '../../webhook/support/certificate.ts';
import { type Behaviour, Receiver } from '../../webhook/support/receiver.ts';
import type { Arrivals } from '../check/deliveries.ts';

/**
 * Behaviours of the endpoints. The intermittent failures succeed by the third attempt. One endpoint
 * always fails.
 */
const manners: readonly (Behaviour | ((nth: number) => Behaviour))[] = [
  { status: 200 },
  { slow: 300 },
  (nth) => (nth % 4 === 0 ? { status: 500 } : { status: 200 }),
  (nth) => (nth % 5 === 0 ? 'reset' : { status: 204 }),
  { status: 200 },
  { status: 503 },
];

/** The HTTPS receiver of a customer, and the endpoints that are registered for it. */
export class WebhookReceivers {
  readonly receiver: Receiver;
  readonly caFile: string;
  /** The authority that signed the receiver's certificate. */
  readonly ca: Authority;
  readonly #secrets = new Map<string, string>();

  private constructor(receiver: Receiver, caFile: string, ca: Authority) {
    this.receiver = receiver;
    this.caFile = caFile;
    this.ca = ca;
  }

  static async open(folder: string): Promise<WebhookReceivers> {
    const ca = createAuthority();
    const caFile = join(folder, 'receiver-ca.pem');
    writeFileSync(caFile, ca.certificate);
    return new WebhookReceivers(await Receiver.listen(ca), caFile, ca);
  }

  get allowedHost(): string {
    return `localhost:${this.receiver.port}`;
  }

  /** Registers three endpoints, the maximum for an organization. */
  async register(base: string, key: string): Promise<void> {
    for (const min_spread_pts of [0.5, 2, 4]) {
      const path = `/hook-${this.#secrets.size}`;
      const manner = manners[this.#secrets.size % manners.length];
      if (manner) this.receiver.behaviours.set(path, manner);
      await this.#register(base, key, path, { events: ['pair.created', 'spread.threshold'], min_spread_pts });
    }
  }

  /**
   * Registers three endpoints that answer at once, and returns their ids. Only the caller sends to
   * them: no pair has a spread of fifty points.
   */
  async registerMeasured(base: string, key: string): Promise<string[]> {
    const ids: string[] = [];
    for (const n of [1, 2, 3])
      ids.push(await this.#register(base, key, `/measured-${n}`, { events: ['spread.threshold'], min_spread_pts: 50 }));
    return ids;
  }

  async #register(base: string, key: string, path: string, body: object): Promise<string> {
    const response = await fetch(`${base}/v1/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: this.receiver.url(path), ...body }),
    });
    const { id, secret } = (await response.json()) as { id?: string; secret?: string };
    if (!id || !secret) throw new Error(`registration of ${path}: ${response.status}`);
    this.#secrets.set(path, secret);
    return id;
  }

  get received(): number {
    return this.receiver.received.length;
  }

  arrivals(): Arrivals {
    const all = new Map<string, { bodies: Set<string>; times: number }>();
    for (const { headers, body } of this.receiver.received) {
      const id = String(headers['x-svc-delivery']);
      const delivery = all.get(id) ?? { bodies: new Set(), times: 0 };
      delivery.bodies.add(body);
      delivery.times += 1;
      all.set(id, delivery);
    }
    return all;
  }

  /** When each delivery arrived first, epoch ms. */
  firstArrivals(): Map<string, number> {
    const all = new Map<string, number>();
    for (const { headers, at } of this.receiver.received) {
      const id = String(headers['x-svc-delivery']);
      if (!all.has(id)) all.set(id, at);
    }
    return all;
  }

  /**
   * Checks both signatures of each request: one by docs/webhooks.md, one with the public library.
   */
  signatureErrors(): string[] {
    return this.receiver.received.flatMap(({ path, headers, body, at }) => {
      const secret = this.#secrets.get(path);
      if (!secret) return [`${path} is not registered`];
      const header = (name: string) => String(headers[name] ?? '');
      const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header('x-svc-signature')) ?? [];
      const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
      const isStale = Math.abs(Number(t) * 1000 - at) > 300_000;
      if (v1 !== expected || isStale) return [`${header('x-svc-delivery')}: invalid X-Svc-Signature`];
      return isVerified(secret, header, body) ? [] : [`${header('x-svc-delivery')}: invalid webhook-signature`];
    });
  }
}

function isVerified(secret: string, header: (name: string) => string, body: string): boolean {
  try {
    // The library rejects signatures older than five minutes by its own clock, and a run is longer.
    const ageSeconds = Math.abs(Date.now() / 1000 - Number(header('webhook-timestamp')));
    const signed = new Webhook(secret).sign(
      header('webhook-id'),
      new Date(Number(header('webhook-timestamp')) * 1000),
      body,
    );
    if (ageSeconds < 240) {
      new Webhook(secret).verify(body, {
        'webhook-id': header('webhook-id'),
        'webhook-timestamp': header('webhook-timestamp'),
        'webhook-signature': header('webhook-signature'),
      });
    }
    return header('webhook-signature').split(' ').includes(signed);
  } catch {
    return false;
  }
}
