import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import type { BroadcastSource, ChannelHandlers } from './broadcast_source.ts';

/** Delay before a closed channel is joined again. The client renews an expired token meanwhile. */
const REJOIN_DELAYS_S = [1, 2, 5, 10] as const;

/** The two methods of a Supabase client that this class calls. */
export type RealtimeClient = Pick<SupabaseClient, 'channel' | 'removeChannel'>;

/**
 * Subscribes to private topics of Supabase Realtime. The client manages the socket, its heartbeat
 * and the token, and rejoins after a lost socket. It does not rejoin a channel that the server
 * closed, for example because the token had expired; this class does.
 */
export class RealtimeSource implements BroadcastSource {
  readonly #client: RealtimeClient;

  constructor(client: RealtimeClient) {
    this.#client = client;
  }

  subscribe(topic: string, handlers: ChannelHandlers): () => void {
    let channel: RealtimeChannel | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    let closings = 0;

    const join = () => {
      handlers.onStatus('connecting');
      const joined = this.#client.channel(topic, { config: { private: true } });
      channel = joined;
      joined.on('broadcast', { event: '*' }, (message) => {
        if (channel === joined) handlers.onBroadcast(message.payload);
      });
      joined.subscribe((status, error) => {
        // Ignores events of a replaced channel of the same topic.
        if (stopped || channel !== joined) return;
        if (status === 'SUBSCRIBED') {
          closings = 0;
          handlers.onStatus('subscribed');
        } else if (status === 'CLOSED') {
          handlers.onStatus('lost');
          rejoin();
        } else {
          handlers.onStatus(isDenied(error) ? 'denied' : 'lost', error?.message);
        }
      });
    };
    const rejoin = () => {
      const closed = channel;
      channel = null;
      if (closed) void this.#client.removeChannel(closed);
      timer = setTimeout(join, 1000 * (REJOIN_DELAYS_S[Math.min(closings++, REJOIN_DELAYS_S.length - 1)] ?? 10));
    };

    join();
    return () => {
      stopped = true;
      clearTimeout(timer);
      if (channel) void this.#client.removeChannel(channel);
      channel = null;
    };
  }
}

/**
 * Realtime sends no code: `Unauthorized: You do not have permissions to read from this Channel
 * topic: …`.
 */
function isDenied(error: Error | undefined): boolean {
  return /^"?Unauthorized|permission/.test(error?.message ?? '');
}
