import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import type { Resolve } from '../../../functions/_shared/dns.ts';

/** The reply for a name: addresses of both families, NXDOMAIN, a server failure, or no reply. */
export type DnsReply = readonly string[] | 'no such name' | 'fails' | 'silent';

const types = { 1: 4, 28: 6 } as Record<number, 4 | 6 | undefined>;

/** A DNS server on loopback (RFC 1035 over UDP). It repeats the last of the replies for a name. */
export class DnsServer {
  /** The queried names, once for each type. */
  readonly queries: string[] = [];
  readonly #socket: Socket;
  readonly #names = new Map<string, { replies: readonly DnsReply[]; counts: Map<number, number> }>();
  readonly #defaultReply: DnsReply;

  private constructor(socket: Socket, defaultReply: DnsReply) {
    this.#socket = socket;
    this.#defaultReply = defaultReply;
    socket.on('message', (query, from) => {
      const answer = this.#answer(query);
      if (answer) socket.send(answer, from.port, from.address);
    });
  }

  static async listen(defaultReply: DnsReply = 'no such name'): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket, defaultReply);
  }

  setReplies(name: string, ...replies: DnsReply[]): void {
    this.#names.set(name, { replies, counts: new Map() });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** The resolver of Node, which queries only this server. */
  get resolve(): Resolve {
    const resolver = new Resolver({ timeout: 10_000, tries: 1 });
    resolver.setServers([`127.0.0.1:${this.port}`]);
    return (name, type) => resolver.resolve(name, type);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  #answer(query: Buffer): Buffer | undefined {
    let at = 12;
    const labels: string[] = [];
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size));
      at += 1 + size;
    }
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    this.queries.push(name);
    const reply = this.#nextReply(name, type);
    if (reply === 'silent') return undefined;
    const found = typeof reply === 'string' ? [] : reply.filter((one) => (isIPv4(one) ? 4 : 6) === types[type]);
    const head = Buffer.from(query.subarray(0, at + 5));
    head.writeUInt16BE(0x8180 | (reply === 'no such name' ? 3 : reply === 'fails' ? 2 : 0), 2);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, ...found.map((address) => record(type, bytesOf(address)))]);
  }

  #nextReply(name: string, type: number): DnsReply {
    const known = this.#names.get(name);
    if (!known) return this.#defaultReply;
    const count = known.counts.get(type) ?? 0;
    known.counts.set(type, count + 1);
    return known.replies[Math.min(count, known.replies.length - 1)] ?? this.#defaultReply;
  }
}

/** A resource record of the queried name with a TTL of zero. */
function record(type: number, value: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, value.length]);
  return Buffer.concat([head, value]);
}

function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // A mapped address may end in four decimal numbers.
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...four) => {
    const [a = 0, b = 0, c = 0, d = 0] = four.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = '', right] = hex.split('::');
  const groups = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = right === undefined ? 0 : 8 - groups(left).length - groups(right).length;
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
