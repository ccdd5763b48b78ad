import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js';
import type { Ears, Listener } from './listener.ts';

/** Seconds before a channel that the server closed is joined again: an expired token is renewed meanwhile. */
const AGAIN_AFTER_S = [1, 2, 5, 10] as const;

/** The part of a Supabase client that is needed here; RealtimeClient alone has it too. */
export type RealtimeDoor = Pick<SupabaseClient, 'channel' | 'removeChannel'>;

/**
 * Listens on private topics of Supabase Realtime. The client keeps the socket, its heartbeat and the session's token; it rejoins by
 * itself when the socket comes back, but not when the server has closed one channel (an expired token), so that is done here.
 */
export class RealtimeListener implements Listener {
  readonly #client: RealtimeDoor;

  constructor(client: RealtimeDoor) {
    this.#client = client;
  }

  listen(topic: string, ears: Ears): () => void {
    let channel: RealtimeChannel | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    let closings = 0;

    const join = () => {
      ears.changed('connecting');
      const joined = this.#client.channel(topic, { config: { private: true } });
      channel = joined;
      joined.on('broadcast', { event: '*' }, (message) => {
        if (channel === joined) ears.heard(message.payload);
      });
      joined.subscribe((status, error) => {
        // What an earlier channel of the same topic still has to say is of no account.
        if (stopped || channel !== joined) return;
        if (status === 'SUBSCRIBED') {
          closings = 0;
          ears.changed('listening');
        } else if (status === 'CLOSED') {
          ears.changed('lost');
          again();
        } else {
          ears.changed(isRefusal(error) ? 'refused' : 'lost', error?.message);
        }
      });
    };
    const again = () => {
      const closed = channel;
      channel = null;
      if (closed) void this.#client.removeChannel(closed);
      timer = setTimeout(join, 1000 * (AGAIN_AFTER_S[Math.min(closings++, AGAIN_AFTER_S.length - 1)] ?? 10));
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

/** Realtime says it in words alone: `Unauthorized: You do not have permissions to read from this Channel topic: …`. */
function isRefusal(error: Error | undefined): boolean {
  return /^"?Unauthorized|permission/.test(error?.message ?? '');
}
