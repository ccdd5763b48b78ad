import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { postgresMajor } from '../postgres/postgres.ts';
import { errorCode, errorText, UserError } from '../user_error.ts';
import { birthOf } from './process.ts';

const secretsShape = z.object({
  superuser: z.string(),
  postgres: z.string(),
  parallax_api: z.string(),
  parallax_ingest: z.string(),
  // Data folders from before there was this role have none; each start gives the roles their passwords, so any will do.
  parallax_stream: z.string().default(() => key(24)),
  // Folders that were made before it get theirs now: a password of a role is set at each start.
  parallax_deliver: z.string().default(() => key(24)),
  jwt: z.string(),
  publishable: z.string(),
  secret: z.string(),
  cron: z.string(),
});
/** Passwords and keys of one data folder, made at its first start. */
export type Secrets = z.infer<typeof secretsShape>;

const nature = z.object({
  format: z.literal(1),
  postgres: z.number(),
  source: z.enum(['simulated', 'live', 'replay']).optional(),
  seed: z.number().optional(),
  games: z.number().optional(),
  replay: z.string().optional(),
});
/** What a data folder is, and which universe its rows are of. */
export type DataFolderInfo = z.infer<typeof nature>;

/** The name of the process that starts all others, and is the gateway. */
export const supervisor = 'supervisor+gateway';

const stackShape = z.object({
  pid: z.number(),
  port: z.number(),
  base_url: z.string(),
  database_url: z.string(),
  source: z.string(),
  started_at: z.string(),
  /** With --inspect: the loopback ports of the inspectors of `functions/<name>` and of `supervisor`. */
  inspectors: z.record(z.string(), z.number()).optional(),
});
/** The running stack, for `npm run key` and other tools on this machine. `database_url` logs in as postgres. */
export type StackFacts = z.infer<typeof stackShape>;

const key = (bytes: number) => randomBytes(bytes).toString('base64url');

/** A data folder that this process holds: nobody else starts on it until `release`. */
export class DataFolder {
  readonly path: string;
  readonly secrets: Secrets;
  readonly nature: DataFolderInfo;

  private constructor(path: string, secrets: Secrets, found: DataFolderInfo) {
    this.path = path;
    this.secrets = secrets;
    this.nature = found;
  }

  /** Opens or makes the folder. Throws PlainFailure when it is in use, not ours, of another version, damaged or not writable. */
  static open(path: string): DataFolder {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 });
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new UserError(
        `The data folder ${path} cannot be used (${errorCode(error) ?? errorText(error)}): choose another with --data.`,
      );
    }
    const markFile = join(path, 'parallax.json');
    const entries = readdirSync(path);
    if (!existsSync(markFile) && entries.some((name) => name !== 'lock')) {
      const some = entries.slice(0, 3).join(', ');
      throw new UserError(
        `${path} is no data folder of Parallax (it holds ${some}): choose an empty or new one with --data.`,
      );
    }
    lock(path);
    try {
      const found = existsSync(markFile) ? readMark(path, markFile) : { format: 1 as const, postgres: postgresMajor };
      const secrets = readSecrets(path);
      writeFileAtomically(markFile, JSON.stringify(found, null, 2));
      for (const name of ['logs', 'venues']) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
      return new DataFolder(path, secrets, found);
    } catch (error) {
      rmSync(join(path, 'lock'), { force: true });
      throw error;
    }
  }

  /** Remembers which universe the rows are of; throws PlainFailure when they are of another. */
  settle(asked: Pick<DataFolderInfo, 'source' | 'seed' | 'games' | 'replay'>): void {
    const { nature: found } = this;
    const other = (what: string) => new UserError(`${this.path} holds ${what}: start with another --data.`);
    if (found.source && found.source !== asked.source) throw other(`${found.source} venues`);
    if (found.seed !== undefined && asked.seed !== undefined && found.seed !== asked.seed)
      throw other(`the universe of --seed ${found.seed}`);
    if (found.games !== undefined && asked.games !== undefined && found.games !== asked.games) {
      throw other(`a universe of --games ${found.games}`);
    }
    if (found.replay && asked.replay && found.replay !== asked.replay) throw other(`the recording ${found.replay}`);
    for (const [name, value] of Object.entries(asked)) if (value !== undefined) Object.assign(found, { [name]: value });
    writeFileAtomically(join(this.path, 'parallax.json'), JSON.stringify(found, null, 2));
  }

  /** Market time (epoch milliseconds) that was last shown, or undefined at the first start. */
  lastMarketTime(): number | undefined {
    try {
      const value = Number(readFileSync(join(this.path, 'shown'), 'utf8'));
      return Number.isFinite(value) && value > 0 ? value : undefined;
    } catch {
      return undefined;
    }
  }

  saveMarketTime(milliseconds: number): void {
    writeFileAtomically(join(this.path, 'shown'), String(Math.round(milliseconds)));
  }

  publish(facts: StackFacts): void {
    writeFileAtomically(join(this.path, 'stack.json'), `${JSON.stringify(facts, null, 2)}\n`);
  }

  release(): void {
    rmSync(join(this.path, 'stack.json'), { force: true });
    rmSync(join(this.path, 'lock'), { force: true });
  }
}

/** The stack that runs on that folder, or undefined. */
export function runningStack(path: string): StackFacts | undefined {
  try {
    const facts = stackShape.parse(JSON.parse(readFileSync(join(path, 'stack.json'), 'utf8')));
    return holderOf(path)?.pid === facts.pid ? facts : undefined;
  } catch {
    return undefined;
  }
}

/** A reader never sees half a file, and nobody but the owner reads it. */
function writeFileAtomically(path: string, text: string): void {
  const half = `${path}.new`;
  writeFileSync(half, text, { mode: 0o600 });
  renameSync(half, path);
}

function readMark(path: string, file: string): DataFolderInfo {
  const read = nature.safeParse(readJson(file));
  if (!read.success)
    throw new UserError(`${file} is damaged or of another version of Parallax: start with another --data.`);
  if (read.data.postgres !== postgresMajor) {
    throw new UserError(
      `${path} was made with PostgreSQL ${read.data.postgres} and this version runs ${postgresMajor}: start with another --data.`,
    );
  }
  return read.data;
}

function readSecrets(path: string): Secrets {
  const file = join(path, 'secrets.json');
  if (existsSync(file)) {
    const read = secretsShape.safeParse(readJson(file));
    if (read.success) return read.data;
    throw new UserError(`${file} is damaged: restore it from a copy or start with another --data.`);
  }
  if (existsSync(join(path, 'postgres', 'PG_VERSION'))) {
    throw new UserError(
      `${file} is gone and with it the passwords of the database beside it: restore it or start with another --data.`,
    );
  }
  const made: Secrets = {
    superuser: key(24),
    postgres: key(24),
    parallax_api: key(24),
    parallax_ingest: key(24),
    parallax_stream: key(24),
    parallax_deliver: key(24),
    jwt: key(48),
    publishable: `sb_publishable_${key(24)}`,
    secret: `sb_secret_${key(24)}`,
    cron: `sb_secret_${key(24)}`,
  };
  writeFileAtomically(file, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Who holds the lock of that folder and still lives. */
function holderOf(path: string): { pid: number } | undefined {
  const read = z.object({ pid: z.number(), birth: z.string() }).safeParse(readJson(join(path, 'lock')));
  return read.success && birthOf(read.data.pid) === read.data.birth ? { pid: read.data.pid } : undefined;
}

function lock(path: string): void {
  const file = join(path, 'lock');
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      writeFileSync(file, JSON.stringify({ pid: process.pid, birth: birthOf(process.pid) ?? '' }), {
        flag: 'wx',
        mode: 0o600,
      });
      return;
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      const holder = holderOf(path);
      if (holder) {
        const where = runningStack(path);
        const at = where ? `, at ${where.base_url}` : '';
        throw new UserError(
          `A stack already runs on ${path} (process ${holder.pid}${at}): stop it first, or start this one with another --data and --port.`,
        );
      }
      // Its owner was killed.
      rmSync(file, { force: true });
    }
  }
  throw new UserError(`${file} cannot be taken: is another start under way on ${path}?`);
}
