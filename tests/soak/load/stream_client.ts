import { Centrifuge } from 'centrifuge';
import { NodeSocket } from '../../support/node_socket.ts';
import { mintTicket } from '../../support/stream_ticket.ts';
import { Sequence } from '../check/sequence.ts';

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
      getData: async () => ({ t: (await mintTicket(base, key)).ticket }),
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
