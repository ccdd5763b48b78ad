import { BlockList, isIPv4 } from 'node:net';

/** IANA's special-purpose registries as a BlockList of Node, independent of the tested checks. */
const special = new BlockList();
for (const range of [
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
  '224.0.0.0/3',
]) {
  const [net = '', bits] = range.split('/');
  special.addSubnet(net, Number(bits), 'ipv4');
}
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  special.addSubnet(net, bits, 'ipv6');

export const isPublicByBlockList = (one: string): boolean =>
  isIPv4(one)
    ? !special.check(one, 'ipv4')
    : !/^(?:::|0+:0+:)/.test(one) && global6.check(one, 'ipv6') && !special.check(one, 'ipv6');
