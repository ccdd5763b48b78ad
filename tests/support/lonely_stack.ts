import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { repository } from '../../local/platform/postgres/binaries.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../local/platform/postgres/template.ts';
import { tsxArguments } from '../../local/platform/supervisor/venues.ts';
import { collectLines, NO_VENUES } from './stack.ts';
import { waitUntil } from './wait_until.ts';

/** A real `npm start` that reaches no venue, so that it starts quickly. */
export type LonelyStack = {
  child: ChildProcess;
  url: string;
  lines: string[];
  /** The exit code; null after a signal. */
  ended: Promise<number | null>;
  line(pattern: RegExp): Promise<string>;
  /** Waits until every process has started. */
  untilUp(): Promise<void>;
  /** A connection as role postgres. */
  connect(): Sql;
  stop(signal: NodeJS.Signals): Promise<number | null>;
};

/** `through` runs the command, such as ['unshare', '--user']. */
export async function lonelyStack(data: string, through: readonly string[] = []): Promise<LonelyStack> {
  const port = await freePort();
  const command = [
    ...through,
    process.execPath,
    ...[...tsxArguments, join(repository, 'local/cli.ts'), 'start', '--live', '--data', data, '--port', String(port)],
  ];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: repository,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...NO_VENUES,
    },
  });
  const lines = collectLines(child);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const line = (pattern: RegExp) =>
    waitUntil(() => lines.find((text) => pattern.test(text)), {
      what: String(pattern),
      timeoutMs: 60_000,
      failed: () => child.exitCode !== null && 'The stack ended',
      evidence: () => lines.join('\n'),
    });
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    lines,
    ended,
    line,
    async untilUp() {
      for (const name of ['migrations', 'auth\\+rest', 'realtime', 'jobs', 'functions/api', 'functions/ingest'])
        await line(new RegExp(`^${name}`));
    },
    connect() {
      const at = /127\.0\.0\.1:(\d+)/.exec(lines.find((text) => text.startsWith('postgres ')) ?? '')?.[1];
      const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8'));
      return postgres(`postgres://postgres:${secrets.postgres}@127.0.0.1:${at}/parallax`, {
        max: 1,
        onnotice: () => {},
      });
    },
    stop(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
