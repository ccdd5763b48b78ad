import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { BuiltPages } from '../dashboard/support/build.ts';
import { temporaryFolder } from './temporary_folder.ts';

/** A started part: what a file needs to know of it, as JSON, and how it ends. */
export type Part = {
  facts: unknown;
  /** It ends with the run, not before. */
  stays?: boolean;
  stop(): Promise<void>;
};

/** What files may share, by name. Only a run that asks for a part loads what makes it. */
const starts: Readonly<Record<string, () => Promise<Part>>> = {
  stack: async () => (await import('./shared_stack_process.ts')).startSharedStack(),
  dashboard: async () => partOf(await (await import('../dashboard/support/build.ts')).buildDashboard()),
  harness: async () => partOf(await (await import('../dashboard/support/build.ts')).buildHarness()),
  chromium: async () => {
    const chromium = await (await import('../dashboard/support/chromium.ts')).serveChromium();
    return { facts: { endpoint: chromium.wsEndpoint() }, stop: () => chromium.close() };
  },
};

/** Built pages cost nothing between the files that use them, so they stay for the run. */
const partOf = (pages: BuiltPages): Part => ({
  facts: pages,
  stays: true,
  stop: async () => rmSync(pages.folder, { recursive: true, force: true }),
});

/** A part without a user costs CPU all the time, and its start as much as about a minute of it. */
const LINGER_MS = 45_000;

type Entry = { part: Promise<Part>; users: number; timer?: NodeJS.Timeout };

/**
 * Runs in the process of the set-up. A part starts when the first file asks for it (shared_part.ts)
 * and stops when no file has used it for a while, or at the end of the run.
 */
export class SharedParts {
  readonly #folder = temporaryFolder('parts');
  readonly #entries = new Map<string, Entry>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  static async listen(): Promise<SharedParts> {
    const parts = new SharedParts();
    await new Promise<void>((resolve) => parts.#server.listen(parts.path, resolve));
    return parts;
  }

  get path(): string {
    return join(this.#folder, 'socket');
  }

  async stop(): Promise<void> {
    this.#server.close();
    await Promise.all([...this.#entries.keys()].map((name) => this.#end(name)));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** A connection sends the name of a part, and uses it until it closes. */
  #serve(socket: Socket): void {
    socket.on('error', () => {});
    socket.once('data', (text) => {
      const name = String(text).trim();
      const entry = this.#entry(name);
      entry.users += 1;
      clearTimeout(entry.timer);
      socket.once('close', () => {
        entry.users -= 1;
        if (entry.users === 0) void this.#endLater(name, entry);
      });
      const answer = entry.part.then(
        ({ facts }) => ({ facts }),
        (error: unknown) => ({ error: String(error) }),
      );
      void answer.then((line) => socket.write(`${JSON.stringify(line)}\n`));
    });
  }

  #entry(name: string): Entry {
    const known = this.#entries.get(name);
    if (known) return known;
    const start = starts[name];
    const entry: Entry = { part: start ? start() : Promise.reject(new Error(`no shared part ${name}`)), users: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  async #endLater(name: string, entry: Entry): Promise<void> {
    const stays = await entry.part.then(
      (part) => part.stays,
      () => false,
    );
    if (stays || entry.users > 0) return;
    entry.timer = setTimeout(() => void this.#end(name), LINGER_MS).unref();
  }

  async #end(name: string): Promise<void> {
    const entry = this.#entries.get(name);
    this.#entries.delete(name);
    clearTimeout(entry?.timer);
    await entry?.part.then(
      ({ stop }) => stop(),
      () => {},
    );
  }
}
