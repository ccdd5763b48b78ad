import { errorWords } from '../_shared/pool/error_fields.ts';
import { Channel } from './channel.ts';
import type { ChannelPosition, Page } from './queries.ts';
import type { Broadcast } from './realtime_connection.ts';

/** The part of the database that holds the log. */
export type PublicationLog = {
  positions(channels: readonly string[]): Promise<ChannelPosition[]>;
  read(channel: string, epoch: string, after: number): Promise<Page>;
};

/** Whoever brings broadcasts; what does not come is in the log. */
export type Bringer = { join(topic: string): void; leave(topic: string): void; isJoined(topic: string): boolean };

type Open = {
  channel: Channel;
  /** The highest offset that is known to exist. */
  known: number;
  filling: boolean;
  heardAt: number;
  /** When the log was last looked at, and since when nobody hears the channel. */
  lookedAt: number;
  idleSince: number | null;
};

const tickMs = 50;
/** Beacons come every 5 s; without two of them, whether Realtime brings anything is not known. */
const trustMs = 12_000;
const keepMs = 30_000;
/** What comes with a beacon may still be on its way: they are sent before the frames of the same commit. */
const graceMs = 150;

/**
 * Keeps the channels that this isolate serves at the top of their logs. Realtime brings frames as they are committed; whatever is missing
 * (offsets have a gap, a beacon is ahead of us, Realtime is away, a channel is not broadcast) is read from the log. Both may bring the
 * same: a channel takes each offset once.
 */
export class LogReader {
  readonly #log: PublicationLog;
  readonly #open = new Map<string, Open>();
  readonly #say: (line: string) => void;
  readonly #reset: (channel: Channel) => void;
  #bringer: Bringer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  /** Frames that came so far, however they came. */
  taken = 0;

  /** `reset`: the channel's log began anew; those who hear it stand nowhere. */
  constructor(options: { log: PublicationLog; say: (line: string) => void; reset: (channel: Channel) => void }) {
    this.#log = options.log;
    this.#say = options.say;
    this.#reset = options.reset;
  }

  /** Without one, everything is read from the log. */
  listen(bringer: Bringer): void {
    this.#bringer = bringer;
    for (const name of this.#open.keys()) if (isBroadcast(name)) bringer.join(name);
  }

  stop(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  channels(): IterableIterator<string> {
    return this.#open.keys();
  }

  /** The channel as it is read here; begins reading it where it stands. */
  channel({ channel: name, epoch, offset }: ChannelPosition): Channel {
    const found = this.#open.get(name);
    if (found?.channel.epoch === epoch) {
      found.idleSince = null;
      return found.channel;
    }
    if (found) {
      this.#close(found);
      this.#reset(found.channel);
    }
    const channel = new Channel(name, epoch, offset);
    const now = Date.now();
    this.#open.set(name, { channel, known: offset, filling: false, heardAt: 0, lookedAt: now, idleSince: null });
    if (isBroadcast(name)) this.#bringer?.join(name);
    this.#timer ??= setTimeout(() => this.#tick(), tickMs);
    return channel;
  }

  heard(name: string, { epoch, offset, frames }: Broadcast): void {
    const open = this.#open.get(name);
    if (!open) return;
    open.heardAt = Date.now();
    if (epoch !== open.channel.epoch) {
      void this.#fill(open);
      return;
    }
    open.known = Math.max(open.known, offset);
    if (frames) {
      this.taken += frames.length;
      const taken = open.channel.take(offset - frames.length + 1, frames.map(typeFirst));
      if (!taken) void this.#fill(open);
    } else if (offset > open.channel.offset) setTimeout(() => this.#catchUp(open), graceMs);
  }

  /** Something may have gone by unheard. */
  look(name: string): void {
    const open = this.#open.get(name);
    if (open) open.lookedAt = 0;
  }

  #catchUp(open: Open): void {
    if (open.known > open.channel.offset) void this.#fill(open);
  }

  async #tick(): Promise<void> {
    const now = Date.now();
    const due: string[] = [];
    for (const [name, open] of this.#open) {
      if (open.channel.held.size > 0) open.idleSince = null;
      else if (open.idleSince === null) open.idleSince = now;
      else if (now - open.idleSince > keepMs) {
        this.#close(open);
        continue;
      }
      if (now - open.lookedAt >= this.#pauseOf(name, open, now)) {
        open.lookedAt = now;
        due.push(name);
      }
    }
    if (due.length > 0) await this.#lookAt(due);
    if (this.#ended) return;
    this.#timer = this.#open.size > 0 ? setTimeout(() => this.#tick(), tickMs) : undefined;
  }

  /** How long to go without a look at the log. */
  #pauseOf(name: string, open: Open, now: number): number {
    // Organizations are many and seldom spoken to, and a connection to Realtime has room for a hundred topics.
    if (name.startsWith('org:')) return 1_000;
    if (open.channel.held.size === 0) return 5_000;
    if (!isBroadcast(name) || !this.#bringer?.isJoined(name)) return 100;
    return now - open.heardAt < trustMs ? 5_000 : 500;
  }

  async #lookAt(names: readonly string[]): Promise<void> {
    try {
      const stands = await this.#log.positions(names);
      for (const { channel: name, epoch, offset } of stands) {
        const open = this.#open.get(name);
        if (!open) continue;
        if (epoch === open.channel.epoch) open.known = Math.max(open.known, offset);
        if (epoch !== open.channel.epoch || offset > open.channel.offset) void this.#fill(open);
      }
    } catch (error) {
      this.#say(`the log cannot be read: ${errorWords(error)}`);
      await pause(500);
    }
  }

  async #fill(open: Open): Promise<void> {
    if (open.filling) return;
    open.filling = true;
    const { channel } = open;
    try {
      while (!this.#ended && this.#open.get(channel.name) === open) {
        const { offset } = channel;
        const page = await this.#log.read(channel.name, channel.epoch, offset);
        if (!page.recovered) {
          this.#close(open);
          this.#reset(channel);
          return;
        }
        this.taken += page.frames.length;
        channel.take(offset + 1, page.frames);
        open.known = Math.max(open.known, page.top);
        if (channel.offset >= open.known || page.frames.length === 0) return;
      }
    } catch (error) {
      this.#say(`the log of ${channel.name} cannot be read: ${errorWords(error)}`);
      await pause(500);
    } finally {
      open.filling = false;
    }
  }

  #close({ channel }: Open): void {
    channel.closed = true;
    this.#open.delete(channel.name);
    if (isBroadcast(channel.name)) this.#bringer?.leave(channel.name);
  }
}

const isBroadcast = (name: string): boolean => name !== 'quotes:all' && !name.startsWith('org:');

/** The log has `type` first; on its way through jsonb it lost its place. */
function typeFirst(frame: Record<string, unknown>): string {
  const { type, ...rest } = frame;
  return JSON.stringify({ type, ...rest });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
