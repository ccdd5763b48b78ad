import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { isPublicAddress } from '../../functions/api/public_address.ts';
import { type ApiFixture, createApiFixture } from '../api/support/fixture.ts';
import { isPublicByBlockList } from '../webhook/support/ranges.ts';
import { campaign } from './support/campaign.ts';
import { anyText } from './support/texts.ts';

/**
 * Guarantee: no webhook is registered at an address outside the public Internet, in any notation.
 */

let fixture: ApiFixture;
beforeAll(async () => {
  fixture = await createApiFixture();
});
afterAll(() => fixture.close());

campaign(
  'the database and the api function agree with the block list of Node about public addresses',
  () =>
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6(),
          ...[10, 100, 127, 169, 172, 192, 198, 203].map((first) =>
            fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)).map((rest) => `${first}.${rest.join('.')}`),
          ),
        ),
        { minLength: 30, maxLength: 30 },
      ),
      async (addresses) => {
        const [row] = await fixture.db.sql<
          { found: string[] }[]
        >`select webhook.filter_public_addresses(${addresses}) as found`;
        expect(new Set(row?.found)).toEqual(new Set(addresses.filter(isPublicByBlockList)));
        expect(new Set(row?.found)).toEqual(new Set(addresses.filter(isPublicAddress)));
      },
    ),
  60,
);

const host = fc.oneof(
  fc.constantFrom(
    'localhost',
    'x.localhost',
    'db.internal',
    'printer.local',
    'metadata.google.internal',
    'example.com.',
    '0x7f.1',
    '127.1',
    '2130706433',
  ),
  fc.ipV4Extended(),
  fc.ipV6().map((ip) => `[${ip}]`),
  fc.ipV4().map((ip) => `[::ffff:${ip}]`),
  fc.domain(),
  anyText,
);
const address = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('https://', 'https:', 'http://', 'HTTPS://', '//', 'https:\\\\'),
      fc.constantFrom('', 'a@', 'a:b@', '@'),
      host,
      fc.constantFrom('', ':443', ':8443', ':25', ':0', ':x'),
      fc.oneof(fc.constantFrom('', '/', '/x?y', '#z'), anyText),
    )
    .map((parts) => parts.join('')),
  anyText,
);

campaign(
  'a webhook URL is registered at a public https address or gets 422, and the stored URL is what the platform connects to',
  () =>
    fc.asyncProperty(address, async (url) => {
      const key = await fixture.key('basic');
      const answer = await fetch(`${fixture.api.base}/v1/webhooks`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}` },
        body: JSON.stringify({ url, events: ['pair.created'] }),
      });
      expect([201, 400, 422]).toContain(answer.status);
      const webhook = await answer.json();
      if (answer.status !== 201) return;
      const stored = new URL(webhook.url);
      expect([stored.protocol, stored.username, stored.password, stored.hash]).toEqual(['https:', '', '', '']);
      const hostname = stored.hostname.replace(/^\[|\]$/g, '');
      if (/^[\d.]+$/.test(hostname) || hostname.includes(':')) expect(isPublicByBlockList(hostname)).toBe(true);
      else expect(hostname).not.toMatch(/(?:^|\.)(?:localhost|local|internal|home\.arpa)$/);
    }),
  250,
);
