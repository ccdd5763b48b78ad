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
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { createSigningKey, signingKey } from '../auth/gotrue/signing_keys.ts';
import { brokers } from '../carrier/config.ts';
import { POSTGRES_MAJOR } from '../postgres/postgres.ts';
import { errorCode, errorText, UserError } from '../user_error.ts';
import { type AuthKind, authKinds } from './options.ts';
import { birthOf } from './process.ts';
import { venueAddresses } from './venue_addresses.ts';

const secretsSchema = z.object({
  superuser: z.string(),
  postgres: z.string(),
  parallax_api: z.string(),
  parallax_ingest: z.string(),
  // Older data folders lack this role. Each start sets the passwords of the roles, so a new one
  // works.
  parallax_stream: z.string().default(() => key(24)),
  // Older data folders lack this one as well.
  parallax_deliver: z.string().default(() => key(24)),
  // And these two.
  parallax_export: z.string().default(() => key(24)),
  supabase_auth_admin: z.string().default(() => key(24)),
  // And those of the carrier Centrifugo.
  parallax_carrier: z.string().default(() => key(24)),
  /** Proves to functions/api that a node of Centrifugo asks. */
  stream_proxy: z.string().default(() => key(32)),
  /** Of the server API of Centrifugo. */
  centrifugo_api: z.string().default(() => key(32)),
  redis: z.string().default(() => key(24)),
  /** Keys of ES256 sessions (`--auth gotrue`), the current one first. */
  signing_keys: z.array(signingKey).min(1).optional(),
  jwt: z.string(),
  publishable: z.string(),
  secret: z.string(),
  cron: z.string(),
});
/** Passwords and keys of one data folder, created at its first start. */
export type Secrets = z.infer<typeof secretsSchema>;

const infoSchema = z.object({
  format: z.literal(1),
  postgres: z.number(),
  source: z.enum(['simulated', 'live', 'replay']).optional(),
  /** Whose tables schema `auth` has. Folders without it have those of lite. */
  auth: z.enum(authKinds).optional(),
  seed: z.number().optional(),
  games: z.number().optional(),
  replay: z.string().optional(),
});
/** The version of a data folder, and the universe of its rows. */
export type DataFolderInfo = z.infer<typeof infoSchema>;

const carrierSchema = z.object({
  kind: z.enum(['embedded', 'centrifugo']),
  broker: z.enum(brokers).optional(),
  /** Addresses of the WebSocket, and of the server API, `/health` and `/metrics`. */
  nodes: z.array(z.object({ name: z.string(), ws: z.string(), internal: z.string() })),
});
/** What carries the stream of a running stack. */
export type CarrierFacts = z.infer<typeof carrierSchema>;

/** The name of the process that starts all others and runs the gateway. */
export const SUPERVISOR_NAME = 'supervisor+gateway';

const stackSchema = z.object({
  pid: z.number(),
  port: z.number(),
  base_url: z.string(),
  database_url: z.string(),
  source: z.string(),
  /** Where this stack reads the venues, for `npm run probe`. */
  venues: venueAddresses.optional(),
  started_at: z.string(),
  carrier: carrierSchema.optional(),
  /**
   * With --inspect: the loopback ports of the inspectors of `functions/<name>` and of `supervisor`.
   */
  inspectors: z.record(z.string(), z.number()).optional(),
});
/**
 * The running stack, for `npm run key` and other tools on this machine. `database_url` logs in as
 * postgres.
 */
export type StackFacts = z.infer<typeof stackSchema>;

const key = (bytes: number) => randomBytes(bytes).toString('base64url');

/** A data folder that this process has locked. No other stack starts on it until `release`. */
export class DataFolder {
  readonly path: string;
  readonly secrets: Secrets;
  readonly info: DataFolderInfo;

  private constructor(path: string, secrets: Secrets, found: DataFolderInfo) {
    this.path = path;
    this.secrets = secrets;
    this.info = found;
  }

  /**
   * Opens or creates the folder. Throws UserError when it is in use, not a data folder, of another
   * version, damaged or not writable.
   */
  static open(path: string): DataFolder {
    let entries: string[];
    try {
      makeFolder(path);
      accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
      entries = readdirSync(path);
    } catch (error) {
      throw new UserError(
        `The data folder ${path} cannot be used (${errorCode(error) ?? errorText(error)}). Choose another with --data.`,
      );
    }
    const markFile = join(path, 'parallax.json');
    if (!existsSync(markFile) && entries.some((name) => name !== 'lock')) {
      if (entries.includes('secrets.json'))
        throw new UserError(`${markFile} is missing. Restore it from a backup, or start with another --data.`);
      const some = entries.slice(0, 3).join(', ');
      throw new UserError(
        `${path} is not a data folder of Parallax (it contains ${some}). Choose an empty or new one with --data.`,
      );
    }
    lock(path);
    try {
      const found = existsSync(markFile) ? readInfo(path, markFile) : { format: 1 as const, postgres: POSTGRES_MAJOR };
      const secrets = readSecrets(path);
      writeFileAtomically(markFile, JSON.stringify(found, null, 2));
      for (const name of ['logs', 'venues']) mkdirSync(join(path, name), { recursive: true, mode: 0o700 });
      return new DataFolder(path, secrets, found);
    } catch (error) {
      rmSync(join(path, 'lock'), { force: true });
      throw error;
    }
  }

  /** Records the universe of the rows. Throws UserError when the folder contains another one. */
  recordUniverse(wanted: Pick<DataFolderInfo, 'source' | 'seed' | 'games' | 'replay'>): void {
    const { info: found } = this;
    const other = (what: string) => new UserError(`${this.path} contains ${what}. Start with another --data.`);
    if (found.source && found.source !== wanted.source) throw other(`${found.source} venues`);
    if (found.seed !== undefined && wanted.seed !== undefined && found.seed !== wanted.seed)
      throw other(`the universe of --seed ${found.seed}`);
    if (found.games !== undefined && wanted.games !== undefined && found.games !== wanted.games) {
      throw other(`a universe of --games ${found.games}`);
    }
    if (found.replay && wanted.replay && found.replay !== wanted.replay) throw other(`the recording ${found.replay}`);
    for (const [name, value] of Object.entries(wanted))
      if (value !== undefined) Object.assign(found, { [name]: value });
    writeFileAtomically(join(this.path, 'parallax.json'), JSON.stringify(found, null, 2));
  }

  /** Records who signs users in. Throws UserError when the folder has the tables of the other. */
  recordAuth(wanted: AuthKind): void {
    const found = this.info.auth ?? (existsSync(join(this.path, 'postgres', 'PG_VERSION')) ? 'lite' : wanted);
    if (found !== wanted)
      throw new UserError(`${this.path} has the accounts of --auth ${found}. Start with it, or with another --data.`);
    this.info.auth = wanted;
    writeFileAtomically(join(this.path, 'parallax.json'), JSON.stringify(this.info, null, 2));
  }

  /** The keys that sign sessions, the current one first. Created at the first call. */
  signingKeys(): NonNullable<Secrets['signing_keys']> {
    const keys = this.secrets.signing_keys ?? [createSigningKey()];
    if (this.secrets.signing_keys === undefined) {
      this.secrets.signing_keys = keys;
      writeFileAtomically(join(this.path, 'secrets.json'), `${JSON.stringify(this.secrets, null, 2)}\n`);
    }
    return keys;
  }

  /** The last saved market time (epoch ms), or undefined at the first start. */
  lastMarketTime(): number | undefined {
    try {
      const value = Number(readFileSync(join(this.path, 'market_time'), 'utf8'));
      return Number.isFinite(value) && value > 0 ? value : undefined;
    } catch {
      return undefined;
    }
  }

  saveMarketTime(milliseconds: number): void {
    writeFileAtomically(join(this.path, 'market_time'), String(Math.round(milliseconds)));
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
    const facts = stackSchema.parse(JSON.parse(readFileSync(join(path, 'stack.json'), 'utf8')));
    return lockHolderOf(path)?.pid === facts.pid ? facts : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Creates the folder and those above it. mkdirSync with `recursive` does not return where a new
 * folder is refused with ENOENT, as in /proc (Node 20).
 */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** A reader never sees a partial file, and only the owner can read it. */
function writeFileAtomically(path: string, text: string): void {
  const half = `${path}.new`;
  writeFileSync(half, text, { mode: 0o600 });
  renameSync(half, path);
}

function readInfo(path: string, file: string): DataFolderInfo {
  const read = infoSchema.safeParse(readJson(file));
  if (!read.success)
    throw new UserError(`${file} is damaged or of another version of Parallax. Start with another --data.`);
  if (read.data.postgres !== POSTGRES_MAJOR) {
    throw new UserError(
      `${path} was created with PostgreSQL ${read.data.postgres}, but this version runs ${POSTGRES_MAJOR}. Start with another --data.`,
    );
  }
  return read.data;
}

function readSecrets(path: string): Secrets {
  const file = join(path, 'secrets.json');
  if (existsSync(file)) {
    const read = secretsSchema.safeParse(readJson(file));
    if (read.success) return read.data;
    throw new UserError(`${file} is damaged. Restore it from a backup, or start with another --data.`);
  }
  if (existsSync(join(path, 'postgres', 'PG_VERSION'))) {
    throw new UserError(
      `${file} is missing. It contains the passwords of the database. Restore it, or start with another --data.`,
    );
  }
  const made: Secrets = {
    superuser: key(24),
    postgres: key(24),
    parallax_api: key(24),
    parallax_ingest: key(24),
    parallax_stream: key(24),
    parallax_deliver: key(24),
    parallax_export: key(24),
    supabase_auth_admin: key(24),
    parallax_carrier: key(24),
    stream_proxy: key(32),
    centrifugo_api: key(32),
    redis: key(24),
    jwt: key(48),
    publishable: `sb_publishable_${key(24)}`,
    secret: `sb_secret_${key(24)}`,
    cron: `sb_secret_${key(24)}`,
  };
  writeFileAtomically(file, `${JSON.stringify(made, null, 2)}\n`);
  return made;
}

/** Undefined when the file is missing or damaged. Throws UserError when it cannot be read. */
function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || code === 'ENOENT') return undefined;
    throw new UserError(
      `${file} cannot be read (${code}). Make it readable for this user, or start with another --data.`,
    );
  }
}

/** The running process that holds the lock of that folder. */
function lockHolderOf(path: string): { pid: number } | undefined {
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
      const holder = lockHolderOf(path);
      if (holder) {
        const where = runningStack(path);
        const at = where ? `, at ${where.base_url}` : '';
        throw new UserError(
          `A stack already runs on ${path} (process ${holder.pid}${at}). Stop it first, or start this one with another --data and --port.`,
        );
      }
      // Its owner was killed.
      rmSync(file, { force: true });
    }
  }
  throw new UserError(`${file} could not be created. Another start may be running on ${path}.`);
}
