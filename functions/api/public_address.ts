import ipaddr from 'ipaddr.js';

// IANA special-purpose address registries, 2026-11. The database applies the same ranges to each
// delivery (webhook.is_public_address); tests/webhook/registration.test.ts compares the two.
const NON_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((range) => ipaddr.IPv4.parseCIDR(range));

/**
 * Every IPv6 address outside of it is local, multicast, mapped, translated (NAT64) or unassigned.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** In this order: protocol assignments and Teredo, documentation, 6to4, documentation. */
const NON_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/** Whether the text is an IPv6 address without a zone. */
export const isIPv6 = (text: string): boolean => !text.includes('%') && ipaddr.IPv6.isValid(text);

/** Whether the text is an IPv4 address of four decimal numbers. No other notation is accepted. */
export const isIPv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/**
 * Whether a text is an address of the public Internet: not loopback, private, link-local, shared
 * (CGNAT), multicast, reserved, documentation, mapped or translated. False for any other text.
 */
export function isPublicAddress(text: string): boolean {
  if (isIPv4(text)) {
    const address = ipaddr.IPv4.parse(text);
    return !NON_PUBLIC_IPV4.some((range) => address.match(range));
  }
  if (!isIPv6(text)) return false;
  const address = ipaddr.IPv6.parse(text);
  return address.match(GLOBAL_UNICAST) && !NON_PUBLIC_IPV6.some((range) => address.match(range));
}
