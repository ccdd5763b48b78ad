/** The channels that are read from the publication log only. */
const LOG_CHANNELS: ReadonlySet<string> = new Set(['quotes:all', 'best:all']);

/** Whether a channel has a topic on Realtime. stream.has_topic decides the same in SQL. */
export const hasTopic = (channel: string): boolean => !LOG_CHANNELS.has(channel);
