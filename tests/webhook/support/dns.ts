import { createSocket, type Socket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { isIPv4 } from 'node:net';
import type { Resolve } from '../../../functions/_shared/dns.ts';

/** What a name is: its addresses of both families, no such name, a name without any, a server that fails, or no answer at all. */
export type Said = readonly string[] | 'no such name' | 'fails' | 'silent';

const types = { 1: 4, 28: 6 } as Record<number, 4 | 6 | undefined>;

/** A real DNS server on loopback (RFC 1035 over UDP). A list of answers is given one after the other, the last one for ever. */
export class DnsServer {
  /** Names that were asked for, once for each type. */
  readonly asked: string[] = [];
  readonly #socket: Socket;
  readonly #names = new Map<string, { answers: readonly Said[]; turns: Map<number, number> }>();
  readonly #otherwise: Said;

  private constructor(socket: Socket, otherwise: Said) {
    this.#socket = socket;
    this.#otherwise = otherwise;
    socket.on('message', (query, from) => {
      const answer = this.#answer(query);
      if (answer) socket.send(answer, from.port, from.address);
    });
  }

  static async listen(otherwise: Said = 'no such name'): Promise<DnsServer> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    return new DnsServer(socket, otherwise);
  }

  name(name: string, ...answers: Said[]): void {
    this.#names.set(name, { answers, turns: new Map() });
  }

  get port(): number {
    return this.#socket.address().port;
  }

  /** Node's own resolver, asking this server alone. */
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
    this.asked.push(name);
    const said = this.#turn(name, type);
    if (said === 'silent') return undefined;
    const found = typeof said === 'string' ? [] : said.filter((one) => (isIPv4(one) ? 4 : 6) === types[type]);
    const head = Buffer.from(query.subarray(0, at + 5));
    head.writeUInt16BE(0x8180 | (said === 'no such name' ? 3 : said === 'fails' ? 2 : 0), 2);
    head.writeUInt16BE(found.length, 6);
    head.writeUInt32BE(0, 8);
    return Buffer.concat([head, ...found.map((address) => record(type, bytesOf(address)))]);
  }

  #turn(name: string, type: number): Said {
    const known = this.#names.get(name);
    if (!known) return this.#otherwise;
    const turn = known.turns.get(type) ?? 0;
    known.turns.set(type, turn + 1);
    return known.answers[Math.min(turn, known.answers.length - 1)] ?? this.#otherwise;
  }
}

/** A resource record of the name that was asked for, to be forgotten at once. */
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
