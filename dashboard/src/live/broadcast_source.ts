/** State of a channel. `denied`: the server does not let this session join it. */
export type ChannelStatus = 'connecting' | 'subscribed' | 'lost' | 'denied';

export type ChannelHandlers = {
  /** One broadcast, unparsed. */
  onBroadcast(message: unknown): void;
  /**
   * Messages may be missing after each `subscribed`: Realtime keeps none for a client that was not
   * connected.
   */
  onStatus(status: ChannelStatus, error?: string): void;
};

/** A source of broadcasts: Realtime's socket, or a recording in the tests. */
export type BroadcastSource = {
  /** Subscribes to a channel. The returned function unsubscribes. */
  subscribe(channel: string, handlers: ChannelHandlers): () => void;
};
