import ipaddr from 'ipaddr.js';

// IANA's special-purpose registries, 2026-11. The database holds each delivery to the same ranges (webhook.is_public_address);
// tests/webhook/registration.test.ts compares the two.
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

/** All other IPv6 addresses are local, multicast, mapped, translated (NAT64) or not assigned. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');
/** Protocol assignments and Teredo; documentation; 6to4; documentation. */
const NON_PUBLIC_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

/** An IPv6 address without a zone. */
export const isIPv6 = (text: string): boolean => !text.includes('%') && ipaddr.IPv6.isValid(text);

/** Four plain decimal numbers, the only way to write an IPv4 address that is accepted. */
export const isIPv4 = (text: string): boolean => ipaddr.IPv4.isValidFourPartDecimal(text);

/**
 * Whether a text is an address of the public Internet: not loopback, private, link-local, shared (CGNAT), multicast, reserved,
 * documentation, mapped or translated. A text that is no address is not public.
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
