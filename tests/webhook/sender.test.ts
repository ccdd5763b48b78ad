import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Attempt } from '../../functions/deliver/database.ts';
import { type Network, Sender } from '../../functions/deliver/sender.ts';
import { pause } from '../support/wait_until.ts';
import { streamOf } from './support/receiver_stream.ts';

/**
 * Guarantee: an attempt connects only to addresses that were checked to be public, at the first
 * attempt and at every later one, and its error names no more than its owner may know.
 */

const PUBLIC = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5', '2001:db8::1'];

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const attemptOf = (change: Partial<Attempt> = {}): Attempt => ({
  ...{ delivery_id: 'd1', claim: 'c1', event: 'test', body: '{}', host: 'hooks.test', port: 8443, target: '/in' },
  ...{ plain: false, listed: false, refused: null },
  ...{ signed_at: '1764000000', signature: 's', standard_signature: 'v1,s' },
  ...change,
});

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';

/** A sender on a network in memory, and what it asked for and opened. */
function senderOf(names: Record<string, string[] | 'timeout'>, open: Partial<Network> = {}) {
  const asked: string[] = [];
  const checked: string[][] = [];
  const opened: string[] = [];
  const network: Network = {
    async resolve(name) {
      asked.push(name);
      const found = names[name] ?? [];
      return found === 'timeout' ? { timedOut: true } : { addresses: found };
    },
    async open(address, port, host) {
      opened.push(`tls ${address} ${port} ${host}`);
      return open.open ? await open.open(address, port, host) : streamOf([NO_CONTENT]).stream;
    },
    async openPlain(address, port) {
      opened.push(`plain ${address} ${port}`);
      return streamOf([NO_CONTENT]).stream;
    },
  };
  const sender = new Sender({
    network,
    filterPublicAddresses: async (addresses) => {
      checked.push([...addresses]);
      return addresses.filter((address) => PUBLIC.includes(address));
    },
    timeoutMs: 5_000,
  });
  return { sender, names, asked, checked, opened };
}

describe('an attempt', () => {
  test.each<[string, string[]]>([
    ['a private address', ['10.0.0.1']],
    ['a private address after a public one', ['192.0.2.1', '10.0.0.1']],
    ['a private address before a public one', ['10.0.0.1', '192.0.2.1']],
    ['a private IPv6 address', ['fd00::1']],
  ])('to a name that resolves to %s opens nothing, however often it is made', async (_, addresses) => {
    const { sender, opened, checked } = senderOf({ 'hooks.test': addresses });
    for (let n = 1; n <= 3; n += 1) expect(await sender.attempt(attemptOf())).toEqual({ error: 'address.private' });
    expect(opened).toEqual([]);
    // What is known is not asked again.
    expect(checked).toEqual([addresses]);
  });

  test('resolves its name again each time, and checks only addresses that are new', async () => {
    const { sender, names, opened, checked, asked } = senderOf({ 'hooks.test': ['192.0.2.1'] });
    expect(await sender.attempt(attemptOf())).toEqual({ status: 204, answer: '' });
    names['hooks.test'] = ['192.0.2.1', '192.0.2.2'];
    expect(await sender.attempt(attemptOf())).toEqual({ status: 204, answer: '' });
    // The name is rebound to the private network, next to an address that is known to be public.
    names['hooks.test'] = ['192.0.2.1', '10.0.0.1'];
    for (let n = 1; n <= 2; n += 1) expect(await sender.attempt(attemptOf())).toEqual({ error: 'address.private' });
    names['hooks.test'] = ['192.0.2.2'];
    expect(await sender.attempt(attemptOf())).toEqual({ status: 204, answer: '' });
    expect(asked).toHaveLength(5);
    expect(checked).toEqual([['192.0.2.1'], ['192.0.2.2'], ['10.0.0.1']]);
    expect(opened).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2'].map((one) => `tls ${one} 8443 hooks.test`));
  });

  test.each([
    ['192.0.2.1', { status: 204, answer: '' }],
    ['2001:db8::1', { status: 204, answer: '' }],
    ['127.0.0.1', { error: 'address.private' }],
    ['::1', { error: 'address.private' }],
  ])('to the literal address %s asks no DNS and checks the address', async (host, outcome) => {
    const { sender, asked, checked } = senderOf({});
    for (let n = 1; n <= 2; n += 1) expect(await sender.attempt(attemptOf({ host }))).toEqual(outcome);
    expect([asked, checked]).toEqual([[], [[host]]]);
  });

  test('to a host that the operator lists is made without a check, plain where the endpoint is plain', async () => {
    const { sender, asked, checked, opened } = senderOf({});
    await sender.attempt(attemptOf({ host: 'inbox.local', listed: true, plain: true }));
    await sender.attempt(attemptOf({ host: 'inbox.local', listed: true }));
    expect([asked, checked]).toEqual([[], []]);
    expect(opened).toEqual(['plain inbox.local 8443', 'tls inbox.local 8443 inbox.local']);
  });

  test('opens nothing and has the code of the database where it refused the attempt', async () => {
    const { sender, asked, opened } = senderOf({ 'hooks.test': ['192.0.2.1'] });
    expect(await sender.attempt(attemptOf({ refused: 'url.blocked' }))).toEqual({ error: 'url.blocked' });
    expect([asked, opened]).toEqual([[], []]);
  });

  test.each<[string, string[] | 'timeout', string]>([
    ['has no address', [], 'dns.nothing'],
    ['no DNS server answers for', 'timeout', 'dns.failed'],
  ])('to a name that %s fails with its own code', async (_, addresses, error) => {
    const { sender, checked } = senderOf({ 'hooks.test': addresses });
    expect(await sender.attempt(attemptOf())).toEqual({ error });
    expect(checked).toEqual([]);
  });

  test('tries four of the addresses, one after the other, until one opens', async () => {
    const refuse = async (address: string) => {
      if (address !== '192.0.2.3') throw new Error('Connection refused');
      return streamOf([NO_CONTENT]).stream;
    };
    const all = PUBLIC.slice(0, 5);
    const third = senderOf({ 'hooks.test': all }, { open: refuse });
    expect(await third.sender.attempt(attemptOf())).toEqual({ status: 204, answer: '' });
    expect(third.opened).toHaveLength(3);
    const none = senderOf({ 'hooks.test': all }, { open: () => Promise.reject(new Error('Connection refused')) });
    expect(await none.sender.attempt(attemptOf())).toEqual({ error: 'connection.failed' });
    expect(none.opened).toEqual(all.slice(0, 4).map((one) => `tls ${one} 8443 hooks.test`));
  });

  test.each<[string, Partial<Network>, string]>([
    ['a closed port', { open: () => Promise.reject(new Error('refused')) }, 'connection.failed'],
    ['a port that never answers', { open: () => new Promise(() => {}) }, 'connection.failed'],
    ['a bad certificate', { open: () => Promise.reject(new Error('invalid peer certificate')) }, 'tls.failed'],
    ['a receiver that never answers', { open: async () => streamOf(null).stream }, 'timeout'],
    [
      'a receiver that is no HTTP server',
      { open: async () => streamOf(['SSH-2.0\r\n\r\n']).stream },
      'answer.malformed',
    ],
    ['a receiver that ends at once', { open: async () => streamOf(['']).stream }, 'answer.malformed'],
  ])('to %s has a code of its own', async (_, open, error) => {
    const { sender } = senderOf({ 'hooks.test': ['192.0.2.1'] }, open);
    const outcome = sender.attempt(attemptOf());
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await outcome).toEqual({ error });
  });

  test('closes its connection when it is over, also one that opens after its time', async () => {
    const answered = streamOf(['HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno']);
    const late = streamOf([NO_CONTENT]);
    const { sender } = senderOf({ 'hooks.test': ['192.0.2.1'] }, { open: async () => answered.stream });
    expect(await sender.attempt(attemptOf())).toEqual({ status: 500, answer: 'no' });
    expect([answered.state.isClosed, answered.state.written.split('\r\n')[0]]).toEqual([true, 'POST /in HTTP/1.1']);
    const slow = senderOf({ 'hooks.test': ['192.0.2.1'] }, { open: () => pause(6_000).then(() => late.stream) });
    const outcome = slow.sender.attempt(attemptOf());
    await vi.advanceTimersByTimeAsync(6_000);
    expect([await outcome, late.state]).toEqual([
      { error: 'connection.failed' },
      { read: 0, written: '', isClosed: true },
    ]);
  });
});
