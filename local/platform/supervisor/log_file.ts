import type { ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';
import type { DiskSpace } from './disk_space.ts';

/** Where the output of a child goes. Its stdout and stderr are pipes, or are not opened. */
export type OutputSink = { collect<Child extends ChildProcess>(child: Child): Child };

/** Size at which a log is renamed to `.old`, bytes. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;

/**
 * The log of a service: `path`, and `path`.old with what was before it, at most `maxBytes` each.
 * The children write into a pipe and not into the file: a child that has the file open would write
 * to `.old` after the renaming, and Deno ends a function whose output finds no space.
 */
export class LogFile implements OutputSink {
  readonly #path: string;
  readonly #disk: DiskSpace;
  readonly #maxBytes: number;
  #file: { handle: number; bytes: number } | undefined;

  constructor(path: string, disk: DiskSpace, maxBytes = MAX_LOG_BYTES) {
    this.#path = path;
    this.#disk = disk;
    this.#maxBytes = maxBytes;
    disk.attempt(() => this.#open());
  }

  collect<Child extends ChildProcess>(child: Child): Child {
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (bytes: Buffer) => this.#disk.attempt(() => this.#append(bytes)));
    return child;
  }

  close(): void {
    if (this.#file) closeSync(this.#file.handle);
    this.#file = undefined;
  }

  #append(bytes: Buffer): void {
    let file = this.#open();
    if (file.bytes > 0 && file.bytes + bytes.length > this.#maxBytes) {
      this.close();
      renameSync(this.#path, `${this.#path}.old`);
      file = this.#open();
    }
    // A full disk may take a part of the bytes before it refuses the rest.
    for (let at = 0; at < bytes.length; ) {
      const written = writeSync(file.handle, bytes, at);
      file.bytes += written;
      at += written;
    }
  }

  #open(): { handle: number; bytes: number } {
    if (!this.#file) {
      const handle = openSync(this.#path, 'a', 0o600);
      this.#file = { handle, bytes: fstatSync(handle).size };
    }
    return this.#file;
  }
}
