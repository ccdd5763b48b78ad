// The process that replaces Realtime: broadcasts on public and private channels, from clients, over
// HTTP and from the database. It has no presence and no postgres_changes. Its environment is
// described below; apart from that it behaves like the platform.
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { errorText, toLogText } from '../user_error.ts';
import { Database } from './database.ts';
import { Hub } from './hub.ts';
import { Policies } from './policies.ts';
import { Allowance, quotaSchema } from './quotas.ts';
import { Replication } from './replication.ts';
import { RealtimeServer } from './server.ts';
import { publishedKeys } from './token.ts';

const fromJson = z.string().transform((text): unknown => JSON.parse(text));
const settings = z
  .object({
    /** The path of a unix socket, or a loopback port. */
    REALTIME_LISTEN: z.string().min(1),
    /**
     * Logs in as supabase_admin, because it reads the replication log and checks policies as any
     * role.
     */
    REALTIME_DB_URL: z.string().min(1),
    REALTIME_JWT_SECRET: z.string().min(1),
    /** `{"sb_publishable_…":"anon","sb_secret_…":"service_role"}` */
    REALTIME_KEYS: fromJson.pipe(z.record(z.string(), z.string())).default({}),
    /** Public keys for ES256: a JWKS document. */
    REALTIME_JWKS: z.string().optional(),
    /** Limits as in quotas.ts; none by default. */
    REALTIME_QUOTAS: fromJson.pipe(quotaSchema).default({}),
    /** `hosted`: rejections are delayed as on the platform. */
    REALTIME_PACE: z.enum(['quick', 'hosted']).default('quick'),
    REALTIME_PRIVATE_ONLY: z.stringbool().default(false),
    /** How long replication stays open after the last client has left. */
    REALTIME_LINGER_MS: z.coerce.number().default(60_000),
  })
  .parse(process.env);

const PARTITION_CHECK_MS = 4 * 3_600_000;

const database = new Database(settings.REALTIME_DB_URL);
const allowance = new Allowance(settings.REALTIME_QUOTAS);
const hub = new Hub(allowance);
const replication = new Replication({
  url: settings.REALTIME_DB_URL,
  onRow: (row) => hub.deliverRow(row),
  lingerMs: settings.REALTIME_LINGER_MS,
});
const hosted = settings.REALTIME_PACE === 'hosted';
const server = new RealtimeServer(
  {
    keyring: {
      secret: settings.REALTIME_JWT_SECRET,
      published: publishedKeys(settings.REALTIME_JWKS),
      platformKeys: new Map(Object.entries(settings.REALTIME_KEYS)),
    },
    database,
    policies: new Policies(database),
    hub,
    replication,
    allowance,
    privateOnly: settings.REALTIME_PRIVATE_ONLY,
  },
  hosted ? { connectionMs: 2_000, channelMs: 5_000 } : { connectionMs: 0, channelMs: 0 },
);

/** Without a partition for today, every message is lost. */
async function keepPartitions(): Promise<void> {
  try {
    await database.query('select _realtime.keep_partitions()');
    setTimeout(keepPartitions, PARTITION_CHECK_MS).unref();
  } catch (error) {
    console.error(`The partitions could not be created: ${errorText(error)}`);
    setTimeout(keepPartitions, 1_000).unref();
  }
}
await keepPartitions();

const where = settings.REALTIME_LISTEN;
if (/^\d+$/.test(where)) server.http.listen(Number(where), '127.0.0.1');
else {
  rmSync(where, { force: true });
  server.http.listen(where);
}

process.on('unhandledRejection', (error) => console.error(`Unhandled rejection: ${toLogText(error)}`));
let leaving = false;
process.on('SIGTERM', async () => {
  if (leaving) return;
  leaving = true;
  setTimeout(() => process.exit(0), 2_000).unref();
  await server.close();
  await replication.stop();
  await database.end();
  process.exit(0);
});
