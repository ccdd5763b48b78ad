/**
 * venue_a authenticates requests by RSA-PSS (SHA-256, MGF1 SHA-256, salt length = digest length)
 * over `timestamp + method + path`. The path starts at the root and has no query (venues.md A6).
 * WebCrypto exists in Deno and in Node.
 */
export type Signer = (method: string, path: string) => Promise<Record<string, string>>;

/** @throws Error when the PEM contains no PKCS#8 RSA key */
export async function signerOf(keyId: string, pem: string, now: () => number): Promise<Signer> {
  const key = await crypto.subtle.importKey('pkcs8', derOf(pem), { name: 'RSA-PSS', hash: 'SHA-256' }, false, ['sign']);
  return async (method, path) => {
    const timestamp = String(Math.floor(now()));
    const signature = await crypto.subtle.sign(
      { name: 'RSA-PSS', saltLength: 32 },
      key,
      new TextEncoder().encode(timestamp + method + path),
    );
    return {
      'KALSHI-ACCESS-KEY': keyId,
      'KALSHI-ACCESS-TIMESTAMP': timestamp,
      'KALSHI-ACCESS-SIGNATURE': btoa(String.fromCharCode(...new Uint8Array(signature))),
    };
  };
}

function derOf(pem: string): ArrayBuffer {
  // A secret store for single lines writes the line breaks of a PEM as \n.
  const text = pem.replace(/\\n/g, '\n');
  const body = /-----BEGIN PRIVATE KEY-----([\s\S]+?)-----END PRIVATE KEY-----/.exec(text)?.[1]?.replace(/\s+/g, '');
  if (!body)
    throw new Error(
      'VENUE_A_PRIVATE_KEY holds no PKCS#8 PEM ("BEGIN PRIVATE KEY"). Convert a PKCS#1 key with: openssl pkcs8 -topk8 -nocrypt',
    );
  return Uint8Array.from(atob(body), (char) => char.charCodeAt(0)).buffer;
}
