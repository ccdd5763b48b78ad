import ipaddr from 'ipaddr.js';

/**
 * The address for which sockets are counted. `header` names the header that the proxy in front
 * sets; without it, or where it has no address, this is the peer of the TCP connection. Null where
 * neither is known. A proxy may append to what the client sent, so the last address of a list
 * counts. Of IPv6 the first 64 bits count, because one client has all the others.
 */
export function clientAddress(headers: Headers, header: string | null, peer: string | null): string | null {
  const named = header === null ? undefined : headers.get(header)?.split(',').at(-1)?.trim();
  return keyOf(named) ?? keyOf(peer ?? undefined);
}

function keyOf(text: string | undefined): string | null {
  if (text === undefined || !ipaddr.isValid(text)) return null;
  const address = ipaddr.process(text);
  return address.kind() === 'ipv4' ? address.toString() : (address as ipaddr.IPv6).parts.slice(0, 4).join(':');
}
