import { Centrifuge } from 'centrifuge';
import { NodeSocket } from '../../../client/src/node_socket.ts';
import { mintTicket } from '../../support/stream_ticket.ts';
import { OffsetSequence } from '../check/sequence.ts';

export type ReceivedFrame = { channel: string; offset: number; epoch: string; frame: unknown };

/**
 * A stream client with the official SDK and a new ticket for each connection. It checks the
 * sequence of all publications.
 */
export class StreamClient {
  readonly sequences = new Map<string, OffsetSequence>();
  readonly centrifuge: Centrifuge;
  /** Errors since the last read. */
  errors: string[] = [];
  frames = 0;
  connections = 0;
  /** Set when the server closed the client for good. */
  closeReason: string | undefined;

  constructor(
    name: string,
    base: string,
    wsUrl: string,
    key: string,
    onFrame: (frame: ReceivedFrame) => void = () => {},
  ) {
    this.centrifuge = new Centrifuge(wsUrl, {
      websocket: NodeSocket,
      minReconnectDelay: 200,
      maxReconnectDelay: 3_000,
      getData: async () => ({ t: (await mintTicket(base, key)).ticket }),
    });
    const sequenceOf = (channel: string): OffsetSequence => {
      const known = this.sequences.get(channel) ?? new OffsetSequence();
      this.sequences.set(channel, known);
      return known;
    };
    const report = (channel: string, error: string | null) => {
      if (error) this.errors.push(`${name} ${channel}: ${error}`);
    };
    this.centrifuge.on('connected', () => {
      this.connections += 1;
    });
    this.centrifuge.on('subscribed', ({ channel, streamPosition, wasRecovering, recovered }) => {
      const { epoch = '', offset = 0 } = streamPosition ?? {};
      report(channel, sequenceOf(channel).subscribed({ epoch, offset, wasRecovering, recovered }));
    });
    this.centrifuge.on('publication', ({ channel, offset = 0, data }) => {
      this.frames += 1;
      report(channel, sequenceOf(channel).publication(offset));
      onFrame({ channel, offset, epoch: sequenceOf(channel).epoch ?? '', frame: data });
    });
    this.centrifuge.on('disconnected', ({ code, reason }) => {
      if (code !== 0) this.closeReason = `${code} ${reason}`;
    });
    this.centrifuge.on('error', () => {});
    this.centrifuge.connect();
  }

  get isConnected(): boolean {
    return this.centrifuge.state === 'connected';
  }
}
