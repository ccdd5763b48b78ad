import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

// Writes X.509 certificates in DER, because Node only reads certificates and a key in the
// repository would be a secret.

const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: Buffer[]) => tlv(0x30, ...parts);
const oid = (text: string): Buffer => {
  const [a = 0, b = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const digits = [arc & 127];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 127) | 128);
    return digits;
  });
  return tlv(6, Buffer.from([a * 40 + b, ...bytes]));
};
const name = (common: string) => sequence(tlv(0x31, sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(common)))));
const time = (at: Date) => tlv(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
const ecdsaSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const extension = (id: string, critical: boolean, value: Buffer) =>
  sequence(oid(id), ...(critical ? [tlv(1, Buffer.from([255]))] : []), tlv(4, value));

const pem = (what: string, der: Buffer) =>
  `-----BEGIN ${what}-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${what}-----\n`;

export type IssuedCertificate = { certificate: string; key: string };
type Keys = { publicKey: KeyObject; privateKey: KeyObject };
export type Authority = { certificate: string; issue(hosts: readonly string[]): IssuedCertificate };

function signed(subject: string, issuer: string, keys: Keys, by: KeyObject, extensions: Buffer[]): string {
  const day = 86_400_000;
  const body = sequence(
    tlv(0xa0, tlv(2, Buffer.from([2]))),
    tlv(2, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ecdsaSha256,
    name(issuer),
    sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + 30 * day))),
    name(subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    tlv(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', body, by);
  return pem('CERTIFICATE', sequence(body, ecdsaSha256, tlv(3, Buffer.from([0]), signature)));
}

const generateKeys = (): Keys => generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A CA for this run. It issues certificates for names and IPv4 addresses. */
export function createAuthority(): Authority {
  const root = generateKeys();
  const issuer = `test CA ${createHash('sha256')
    .update(root.publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 8)}`;
  const isCa = extension('2.5.29.19', true, sequence(tlv(1, Buffer.from([255]))));
  return {
    certificate: signed(issuer, issuer, root, root.privateKey, [isCa]),
    issue(hosts) {
      const keys = generateKeys();
      const names = hosts.map((host) =>
        /^[\d.]+$/.test(host) ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host)),
      );
      const forServers = extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1')));
      const extensions = [extension('2.5.29.17', false, sequence(...names)), forServers];
      return {
        certificate: signed('test receiver', issuer, keys, root.privateKey, extensions),
        key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      };
    },
  };
}
