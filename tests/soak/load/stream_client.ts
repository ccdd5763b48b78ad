import { Centrifuge } from 'centrifuge';
import { Sequence } from '../check/sequence.ts';
import { NodeSocket } from './node_socket.ts';

export type Heard = { channel: string; offset: number; epoch: string; frame: unknown };

/** One customer of the stream: the official client, a fresh ticket for each connection, everything it hears held to its sequence. */
export class StreamClient {
  readonly sequences = new Map<string, Sequence>();
  readonly centrifuge: Centrifuge;
  /** What was wrong, since the last look. */
  wrong: string[] = [];
  frames = 0;
  connections = 0;
  /** Final: it will not come back. */
  ended: string | undefined;

  constructor(name: string, base: string, wsUrl: string, key: string, heard: (what: Heard) => void = () => {}) {
    this.centrifuge = new Centrifuge(wsUrl, {
      websocket: NodeSocket,
      minReconnectDelay: 200,
      maxReconnectDelay: 3_000,
      getData: async () => ({ t: await mint(base, key) }),
    });
    const of = (channel: string): Sequence => {
      const known = this.sequences.get(channel) ?? new Sequence();
      this.sequences.set(channel, known);
      return known;
    };
    const tell = (channel: string, wrong: string | null) => {
      if (wrong) this.wrong.push(`${name} ${channel}: ${wrong}`);
    };
    this.centrifuge.on('connected', () => {
      this.connections += 1;
    });
    this.centrifuge.on('subscribed', ({ channel, streamPosition, wasRecovering, recovered }) => {
      const { epoch = '', offset = 0 } = streamPosition ?? {};
      tell(channel, of(channel).subscribed({ epoch, offset, wasRecovering, recovered }));
    });
    this.centrifuge.on('publication', ({ channel, offset = 0, data }) => {
      this.frames += 1;
      tell(channel, of(channel).publication(offset));
      heard({ channel, offset, epoch: of(channel).epoch ?? '', frame: data });
    });
    this.centrifuge.on('disconnected', ({ code, reason }) => {
      if (code !== 0) this.ended = `${code} ${reason}`;
    });
    this.centrifuge.on('error', () => {});
    this.centrifuge.connect();
  }

  get isConnected(): boolean {
    return this.centrifuge.state === 'connected';
  }
}

async function mint(base: string, key: string): Promise<string> {
  const answer = await fetch(`${base}/v1/stream/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(15_000),
  });
  const { ticket } = (await answer.json()) as { ticket?: string };
  if (!ticket) throw new Error(`no ticket: ${answer.status}`);
  return ticket;
}
