import type { PublicationLog } from './log_reader.ts';
import type { Page } from './queries.ts';

const keptMs = 1_000;
const mostKept = 64;

/**
 * The log as those read it who are behind. They mostly fell behind together (a burst, an isolate that died), so they ask for the same pages
 * within moments: each is read once for all of them. 64 pages of 256 KiB are 16 MB at most.
 */
export class LogPageCache implements PublicationLog {
  readonly #log: PublicationLog;
  readonly #kept = new Map<string, Promise<Page>>();

  constructor(log: PublicationLog) {
    this.#log = log;
  }

  positions: PublicationLog['positions'] = (channels) => this.#log.positions(channels);

  read(channel: string, epoch: string, after: number): Promise<Page> {
    const key = `${epoch} ${after} ${channel}`;
    const kept = this.#kept.get(key);
    if (kept) return kept;
    const page = this.#log.read(channel, epoch, after);
    if (this.#kept.size < mostKept) {
      this.#kept.set(key, page);
      const forget = (): void => void this.#kept.delete(key);
      // A page without frames says that there are none yet, which is not true for long.
      page.then(({ frames }) => (frames.length > 0 ? setTimeout(forget, keptMs) : forget()), forget);
    }
    return page;
  }
}
