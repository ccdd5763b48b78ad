import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../functions/api/public_address.ts';

describe('isPublicAddress', () => {
  test.each([
    ['this network', '0.0.0.0', '0.255.255.255'],
    ['private', '10.0.0.0', '10.255.255.255'],
    ['shared address space (CGNAT)', '100.64.0.0', '100.127.255.255'],
    ['loopback', '127.0.0.0', '127.255.255.255'],
    ['link-local', '169.254.0.0', '169.254.255.255'],
    ['private', '172.16.0.0', '172.31.255.255'],
    ['protocol assignments', '192.0.0.0', '192.0.0.255'],
    ['documentation', '192.0.2.0', '192.0.2.255'],
    ['6to4 relays', '192.88.99.0', '192.88.99.255'],
    ['private', '192.168.0.0', '192.168.255.255'],
    ['benchmarks', '198.18.0.0', '198.19.255.255'],
    ['documentation', '198.51.100.0', '198.51.100.255'],
    ['documentation', '203.0.113.0', '203.0.113.255'],
    ['multicast', '224.0.0.0', '239.255.255.255'],
    ['reserved, and broadcast', '240.0.0.0', '255.255.255.255'],
    ['unspecified', '::', '::'],
    ['loopback', '::1', '::1'],
    ['compatible', '::7f00:1', '::ffff:ffff'],
    ['mapped', '::ffff:0:0', '::ffff:ffff:ffff'],
    ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
    ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
    ['discard only', '100::', '100::ffff:ffff:ffff:ffff'],
    ['below global unicast', '1fff::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['protocol assignments, Teredo first', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['above global unicast', '4000::', '5f00::1'],
    ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ])('rejects the range %s from %s to %s', (_, first, last) => {
    expect([isPublicAddress(first), isPublicAddress(last)]).toEqual([false, false]);
  });

  test.each([
    ...['1.0.0.0', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0'],
    ...['192.0.3.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0'],
    ...['198.51.99.255', '198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255'],
    ...['2000::', '2001:200::', '2001:db7:ffff::', '2001:db9::', '2003::', '2606:4700::1111', '3ffe::', '3fff:1000::'],
  ])('accepts %s, which is public or next to a range that is not', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each([
    ...['', 'x', 'localhost', '8.8.8', '8.8.8.8.8', '8.8.8.256', '8.8.8.8/32', '8.8.8.8 ', ' 8.8.8.8', '010.8.8.8'],
    ...['0x8.8.8.8', '134744072', '8.8.8.8\n', '2606:4700::1111%eth0', '2606:4700::1111/128', '[2606:4700::1111]'],
    ...['2606:4700:::1111', '12606::1', '2606:4700:1:2:3:4:5:6:7', '２606::1'],
  ])('rejects %j, which is not an address', (text) => {
    expect(isPublicAddress(text)).toBe(false);
  });
});
