import type { Channel } from './channel.ts';
import type { PublicationLog } from './log_reader.ts';
import type { Place, Told } from './protocol.ts';
import type { ChannelPosition } from './queries.ts';

/** What the connect reply may hold of what was missed, over all channels; the rest follows as pushes. */
const mostFrames = 500;
const mostBytes = 256 * 1024;

/** What a channel will be told to have, and from where it is heard. */
export type Start = { channel: Channel; told: () => Told; position: () => number };

type Asked = { channel: Channel; stands: ChannelPosition; place: Place | undefined };

/**
 * Reads what clients that come back have missed, as far as the reply has room for it. What is told is made at the moment of telling: a
 * client without a place begins where its channel stands then, with nothing lost between.
 */
export async function recover(asked: readonly Asked[], log: PublicationLog): Promise<Start[]> {
  const missed = await Promise.all(asked.map((one) => framesFor(one, log)));
  const room = { frames: mostFrames, bytes: mostBytes };
  return asked.map(({ channel, place }, n) => {
    const { name, epoch } = channel;
    const found = missed[n];
    if (!place) {
      return {
        channel,
        told: () => ({ channel: name, epoch, offset: channel.offset, recovery: null }),
        position: () => channel.offset,
      };
    }
    if (!found) {
      return {
        channel,
        told: () => ({ channel: name, epoch, offset: channel.offset, recovery: { recovered: false, frames: [] } }),
        position: () => channel.offset,
      };
    }
    const frames = fitting(found, room);
    const upto = place.offset + frames.length;
    return {
      channel,
      told: () => ({ channel: name, epoch, offset: upto, recovery: { recovered: true, frames } }),
      position: () => upto,
    };
  });
}

/** Null where nothing can be recovered. */
async function framesFor({ channel, stands, place }: Asked, log: PublicationLog): Promise<readonly string[] | null> {
  if (!place || place.epoch !== channel.epoch) return null;
  const top = Math.max(channel.offset, stands.offset);
  if (place.offset > top) return null;
  if (place.offset === top) return [];
  const page = await log.read(channel.name, channel.epoch, place.offset);
  return page.recovered ? page.frames : null;
}

function fitting(frames: readonly string[], room: { frames: number; bytes: number }): string[] {
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
