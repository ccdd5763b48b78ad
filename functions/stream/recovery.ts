import type { Channel } from './channel.ts';
import type { PublicationLog } from './log_reader.ts';
import type { RecoveryPosition, SubscribedChannel } from './protocol.ts';
import type { ChannelPosition } from './queries.ts';

/**
 * Limits of the missed frames in the connect reply, over all channels. The rest follows as pushes.
 */
const MAX_REPLY_FRAMES = 500;
const MAX_REPLY_BYTES = 256 * 1024;

/**
 * The entry of a channel in the connect reply, and the offset after which its live publications
 * begin.
 */
export type RecoveryStart = { channel: Channel; reply: () => SubscribedChannel; position: () => number };

type RecoveryRequest = { channel: Channel; current: ChannelPosition; requested: RecoveryPosition | undefined };

/**
 * Reads the frames that reconnecting clients have missed, up to the limits of the reply. The
 * replies are built when they are sent: a client without a position begins at the offset of its
 * channel at that time, and misses nothing.
 */
export async function recover(requests: readonly RecoveryRequest[], log: PublicationLog): Promise<RecoveryStart[]> {
  const missed = await Promise.all(requests.map((request) => framesFor(request, log)));
  const room = { frames: MAX_REPLY_FRAMES, bytes: MAX_REPLY_BYTES };
  return requests.map(({ channel, requested }, n) => {
    const { name, epoch } = channel;
    const found = missed[n];
    if (!requested) {
      return {
        channel,
        reply: () => ({ channel: name, epoch, offset: channel.offset, recovery: null }),
        position: () => channel.offset,
      };
    }
    if (!found) {
      return {
        channel,
        reply: () => ({ channel: name, epoch, offset: channel.offset, recovery: { recovered: false, frames: [] } }),
        position: () => channel.offset,
      };
    }
    const frames = takeFitting(found, room);
    const upto = requested.offset + frames.length;
    return {
      channel,
      reply: () => ({ channel: name, epoch, offset: upto, recovery: { recovered: true, frames } }),
      position: () => upto,
    };
  });
}

/** Returns null when nothing can be recovered. */
async function framesFor(request: RecoveryRequest, log: PublicationLog): Promise<readonly string[] | null> {
  const { channel, current, requested } = request;
  if (!requested || requested.epoch !== channel.epoch) return null;
  const top = Math.max(channel.offset, current.offset);
  if (requested.offset > top) return null;
  if (requested.offset === top) return [];
  const page = await log.readPublications(channel.name, channel.epoch, requested.offset);
  return page.recovered ? page.frames : null;
}

function takeFitting(frames: readonly string[], room: { frames: number; bytes: number }): string[] {
  const taken: string[] = [];
  for (const frame of frames) {
    const bytes = new TextEncoder().encode(frame).byteLength;
    if (room.frames < 1 || room.bytes < bytes) break;
    room.frames -= 1;
    room.bytes -= bytes;
    taken.push(frame);
  }
  return taken;
}
