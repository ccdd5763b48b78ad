// A child process with many clients of the stream. Each uses the connect command with a ticket and
// server-side subscriptions alone, and keeps its positions. It reports what it saw, without the
// frames.
import WebSocket from 'ws';

export type SwarmStart = {
  /** The API, where each connection gets its ticket. */
  api: string;
  /** One key for each client. */
  keys: readonly string[];
  /** Where the clients connect, in turn. */
  urls: readonly string[];
  /** Where all clients connect the first time, unless it is the next of `urls`. */
  firstUrl?: string;
  /** Time between the first connections of two clients of a process, ms. Default: 2. */
  everyMs?: number;
  channel: string;
};
export type SwarmCommand = { start: SwarmStart } | { report: 'now' };

export type SwarmReport = {
  connected: number;
  /** Connections that the server accepted, so far. */
  connects: number;
  /** Publications over all clients. */
  publications: number;
  /** The lowest and the highest last offset of the clients. */
  lowest: number;
  highest: number;
  /** Recoveries that returned everything, and those that did not. */
  recovered: number;
  notRecovered: number;
  /** Offsets that did not follow the one before. */
  gaps: string[];
  /** How often each close code came; 1006 is a lost connection. */
  closes: Record<string, number>;
  /** Tickets that were refused, by status. */
  refusedTickets: Record<string, number>;
};

type Position = { recover: true; epoch: string; offset: number };
type Subscription = {
  epoch?: string;
  offset?: number;
  recovered?: boolean;
  was_recovering?: boolean;
  publications?: { offset: number }[];
};
type Message = {
  connect?: { subs?: Record<string, Subscription> };
  error?: { code: number };
  push?: { channel: string; pub?: { offset: number } };
};

const counts = { connects: 0, publications: 0, recovered: 0, notRecovered: 0 };
const gaps: string[] = [];
const closes: Record<string, number> = {};
const refusedTickets: Record<string, number> = {};
const clients: Client[] = [];
const add = (to: Record<string, number>, name: string | number) => {
  to[name] = (to[name] ?? 0) + 1;
};

class Client {
  #attempt = 0;
  #place: number;
  readonly #start: SwarmStart;
  readonly #key: string;
  position: Position | undefined;
  isConnected = false;

  constructor(start: SwarmStart, key: string, place: number) {
    this.#start = start;
    this.#key = key;
    this.#place = place;
  }

  async connect(): Promise<void> {
    const ticket = await this.#ticket();
    if (ticket === undefined) {
      this.#again();
      return;
    }
    const { urls, firstUrl } = this.#start;
    const next = (!this.position && firstUrl) || urls[this.#place++ % urls.length];
    const socket = new WebSocket(next ?? '', { perMessageDeflate: false });
    const giveUp = setTimeout(() => socket.terminate(), 20_000);
    socket.on('open', () => {
      const subs = this.position ? { [this.#start.channel]: this.position } : {};
      socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket }, subs } }));
    });
    socket.on('message', (data) => {
      for (const line of String(data).split('\n')) {
        if (line === '{}') socket.send('{}');
        else this.#receive(JSON.parse(line) as Message, socket, giveUp);
      }
    });
    socket.on('error', () => {});
    socket.on('close', (code) => {
      clearTimeout(giveUp);
      add(closes, code);
      this.isConnected = false;
      this.#again();
    });
  }

  async #ticket(): Promise<string | undefined> {
    try {
      const response = await fetch(`${this.#start.api}/v1/stream/token`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${this.#key}` },
        signal: AbortSignal.timeout(20_000),
      });
      if (!response.ok) add(refusedTickets, response.status);
      const { ticket } = (await response.json()) as { ticket?: string };
      return ticket;
    } catch {
      add(refusedTickets, 'no answer');
      return undefined;
    }
  }

  /** Waits as the SDKs do: longer after each attempt, with a random part. */
  #again(): void {
    const longest = Math.min(10_000, 200 * 2 ** Math.min(this.#attempt++, 6));
    setTimeout(() => void this.connect(), Math.random() * longest);
  }

  #receive(message: Message, socket: WebSocket, giveUp: NodeJS.Timeout): void {
    const { channel } = this.#start;
    if (message.error) socket.close();
    if (message.connect) {
      clearTimeout(giveUp);
      this.#attempt = 0;
      this.isConnected = true;
      counts.connects += 1;
      this.#begin(message.connect.subs?.[channel] ?? {});
    }
    if (message.push?.channel === channel && message.push.pub) this.#take(message.push.pub.offset);
  }

  #begin({ epoch = '', offset = 0, recovered, publications = [] }: Subscription): void {
    if (this.position && recovered) counts.recovered += 1;
    else {
      if (this.position) counts.notRecovered += 1;
      this.position = { recover: true, epoch, offset };
    }
    for (const publication of publications) this.#take(publication.offset);
  }

  #take(offset: number): void {
    if (!this.position) return;
    counts.publications += 1;
    if (offset !== this.position.offset + 1) gaps.push(`${offset} after ${this.position.offset}`);
    this.position.offset = offset;
  }
}

function report(): SwarmReport {
  const offsets = clients.map(({ position }) => position?.offset ?? -1);
  return {
    ...counts,
    connected: clients.filter(({ isConnected }) => isConnected).length,
    lowest: Math.min(...offsets),
    highest: Math.max(...offsets),
    gaps: gaps.slice(0, 20),
    closes,
    refusedTickets,
  };
}

process.on('message', (command: SwarmCommand) => {
  if ('start' in command) {
    const { start } = command;
    for (const [n, key] of start.keys.entries()) {
      const client = new Client(start, key, n);
      clients.push(client);
      // Not all in one turn: this measures the server and not one loop.
      setTimeout(() => void client.connect(), n * (start.everyMs ?? 2));
    }
  } else process.send?.(report());
});
process.on('disconnect', () => process.exit());
