import { describeError } from '../_shared/pool/error_fields.ts';
import { hasTopic } from '../_shared/stream_channels.ts';
import { Channel } from './channel.ts';
import type { ChannelPosition, LogPage } from './queries.ts';
import type { Broadcast } from './realtime_connection.ts';

/** The queries of the publication log. */
export type PublicationLog = {
  channelPositions(channels: readonly string[]): Promise<ChannelPosition[]>;
  readPublications(channel: string, epoch: string, after: number): Promise<LogPage>;
};

/** Receives broadcasts. Missed messages are read from the log. */
export type BroadcastSource = {
  join(topic: string): void;
  leave(topic: string): void;
  isJoined(topic: string): boolean;
};

type OpenChannel = {
  channel: Channel;
  /** The highest offset that is known to exist. */
  highestOffset: number;
  isFilling: boolean;
  broadcastAt: number;
  /** When the log was last checked, and since when the channel has no subscriber. */
  checkedAt: number;
  idleSince: number | null;
};

const TIMER_MS = 50;
/** Position beacons come every 5 s. After two missed ones, Realtime may not deliver at all. */
const BROADCAST_TIMEOUT_MS = 12_000;
const IDLE_MS = 30_000;
/**
 * Beacons are sent before the frames of the same commit, so those frames may still be on their way.
 */
const BEACON_DELAY_MS = 150;

/**
 * Keeps the channels of this isolate at the last offset of their logs. Realtime delivers frames
 * when they are committed. Missing frames are read from the log: after a gap of offsets, after a
 * beacon with a higher offset, while Realtime is unavailable, and for channels without broadcasts.
 * Both sources may deliver the same frames; a channel takes each offset once.
 */
export class LogReader {
  readonly #publicationLog: PublicationLog;
  readonly #open = new Map<string, OpenChannel>();
  readonly #log: (line: string) => void;
  readonly #onReset: (channel: Channel) => void;
  #source: BroadcastSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isStopped = false;
  /** Frames that were received so far, from both sources. */
  framesReceived = 0;

  constructor(options: {
    publicationLog: PublicationLog;
    log: (line: string) => void;
    /** The log of the channel was reset; the positions of its subscribers are invalid. */
    onReset: (channel: Channel) => void;
  }) {
    this.#publicationLog = options.publicationLog;
    this.#log = options.log;
    this.#onReset = options.onReset;
  }

  /** Without a source, all frames are read from the log. */
  useSource(source: BroadcastSource): void {
    this.#source = source;
    for (const name of this.#open.keys()) if (isBroadcast(name)) source.join(name);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  channels(): IterableIterator<string> {
    return this.#open.keys();
  }

  /** Returns the channel. Opens it at the given position if it is not read yet. */
  channel({ channel: name, epoch, offset }: ChannelPosition): Channel {
    const found = this.#open.get(name);
    if (found?.channel.epoch === epoch) {
      found.idleSince = null;
      return found.channel;
    }
    if (found) {
      this.#close(found);
      this.#onReset(found.channel);
    }
    const channel = new Channel(name, epoch, offset);
    const now = Date.now();
    this.#open.set(name, {
      channel,
      highestOffset: offset,
      isFilling: false,
      broadcastAt: 0,
      checkedAt: now,
      idleSince: null,
    });
    if (isBroadcast(name)) this.#source?.join(name);
    this.#timer ??= setTimeout(() => this.#onTimer(), TIMER_MS);
    return channel;
  }

  onBroadcast(name: string, { epoch, offset, frames }: Broadcast): void {
    const open = this.#open.get(name);
    if (!open) return;
    open.broadcastAt = Date.now();
    if (epoch !== open.channel.epoch) {
      void this.#readMissing(open);
      return;
    }
    open.highestOffset = Math.max(open.highestOffset, offset);
    if (frames) {
      this.framesReceived += frames.length;
      const taken = open.channel.take(offset - frames.length + 1, frames.map(typeFirst));
      if (!taken) void this.#readMissing(open);
    } else if (offset > open.channel.offset) setTimeout(() => this.#catchUp(open), BEACON_DELAY_MS);
  }

  /** Frames may have been missed: check the log at the next timer. */
  checkLog(name: string): void {
    const open = this.#open.get(name);
    if (open) open.checkedAt = 0;
  }

  #catchUp(open: OpenChannel): void {
    if (open.highestOffset > open.channel.offset) void this.#readMissing(open);
  }

  async #onTimer(): Promise<void> {
    const now = Date.now();
    const due: string[] = [];
    for (const [name, open] of this.#open) {
      if (open.channel.subscribers.size > 0) open.idleSince = null;
      else if (open.idleSince === null) open.idleSince = now;
      else if (now - open.idleSince > IDLE_MS) {
        this.#close(open);
        continue;
      }
      if (now - open.checkedAt >= this.#checkIntervalOf(name, open, now)) {
        open.checkedAt = now;
        due.push(name);
      }
    }
    if (due.length > 0) await this.#checkPositions(due);
    if (this.#isStopped) return;
    this.#timer = this.#open.size > 0 ? setTimeout(() => this.#onTimer(), TIMER_MS) : undefined;
  }

  /** Time between two checks of the log, ms. */
  #checkIntervalOf(name: string, open: OpenChannel, now: number): number {
    // There are many channels of organizations, they seldom have frames, and a connection to
    // Realtime is limited to a hundred topics.
    if (name.startsWith('org:')) return 1_000;
    if (open.channel.subscribers.size === 0) return 5_000;
    if (!isBroadcast(name) || !this.#source?.isJoined(name)) return 100;
    return now - open.broadcastAt < BROADCAST_TIMEOUT_MS ? 5_000 : 500;
  }

  async #checkPositions(names: readonly string[]): Promise<void> {
    try {
      const positions = await this.#publicationLog.channelPositions(names);
      for (const { channel: name, epoch, offset } of positions) {
        const open = this.#open.get(name);
        if (!open) continue;
        if (epoch === open.channel.epoch) open.highestOffset = Math.max(open.highestOffset, offset);
        if (epoch !== open.channel.epoch || offset > open.channel.offset) void this.#readMissing(open);
      }
    } catch (error) {
      this.#log(`The positions of ${names.length} channels could not be read: ${describeError(error)}.`);
      await pause(500);
    }
  }

  async #readMissing(open: OpenChannel): Promise<void> {
    if (open.isFilling) return;
    open.isFilling = true;
    const { channel } = open;
    try {
      while (!this.#isStopped && this.#open.get(channel.name) === open) {
        const { offset } = channel;
        const page = await this.#publicationLog.readPublications(channel.name, channel.epoch, offset);
        if (!page.recovered) {
          this.#close(open);
          this.#onReset(channel);
          return;
        }
        this.framesReceived += page.frames.length;
        channel.take(offset + 1, page.frames);
        open.highestOffset = Math.max(open.highestOffset, page.top);
        if (channel.offset >= open.highestOffset || page.frames.length === 0) return;
      }
    } catch (error) {
      this.#log(`The log of channel ${channel.name} could not be read: ${describeError(error)}.`);
      await pause(500);
    } finally {
      open.isFilling = false;
    }
  }

  #close({ channel }: OpenChannel): void {
    channel.isClosed = true;
    this.#open.delete(channel.name);
    if (isBroadcast(channel.name)) this.#source?.leave(channel.name);
  }
}

const isBroadcast = (name: string): boolean => hasTopic(name) && !name.startsWith('org:');

/**
 * Puts `type` first, as in the log. Realtime sends frames as jsonb, which does not keep the order
 * of keys.
 */
function typeFirst(frame: Record<string, unknown>): string {
  const { type, ...rest } = frame;
  return JSON.stringify({ type, ...rest });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
