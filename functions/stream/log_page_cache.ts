import type { PublicationLog } from './log_reader.ts';
import type { LogPage } from './queries.ts';

const CACHE_MS = 1_000;
const MAX_PAGES = 64;

/**
 * The publication log for subscribers that are behind. They mostly fell behind together (a burst,
 * an isolate that ended) and read the same pages at the same time, so each page is read once for
 * all of them. 64 pages of 256 KiB are at most 16 MB.
 */
export class LogPageCache implements PublicationLog {
  readonly #source: PublicationLog;
  readonly #pages = new Map<string, Promise<LogPage>>();

  constructor(source: PublicationLog) {
    this.#source = source;
  }

  channelPositions: PublicationLog['channelPositions'] = (channels) => this.#source.channelPositions(channels);

  readPublications(channel: string, epoch: string, after: number): Promise<LogPage> {
    const key = `${epoch} ${after} ${channel}`;
    const cached = this.#pages.get(key);
    if (cached) return cached;
    const page = this.#source.readPublications(channel, epoch, after);
    if (this.#pages.size < MAX_PAGES) {
      this.#pages.set(key, page);
      const drop = (): void => void this.#pages.delete(key);
      // An empty page states that there are no frames yet, which soon becomes false.
      page.then(({ frames }) => (frames.length > 0 ? setTimeout(drop, CACHE_MS) : drop()), drop);
    }
    return page;
  }
}
