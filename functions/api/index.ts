// The Edge Function `api`. Only this file uses Deno; the rest runs under Node as well.
import { ownKeyOf } from '../_shared/http/cron_key.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { platformOf } from '../_shared/platform.ts';
import { countOf } from '../_shared/settings.ts';
import { createApi } from './app.ts';
import { carrierSettingsOf } from './carrier/settings.ts';
import { connect } from './database.ts';
import { exportLinksOf } from './export_links.ts';
import { publicUrlOf } from './public_url.ts';
import { ReplicaReader } from './replica.ts';
import { streamSettingsOf } from './stream_token.ts';

const env = (name: string): string | undefined => Deno.env.get(name);
const url = env('DB_URL_API');
if (!url) throw new Error('DB_URL_API is not set. Set it to the database URL of the role parallax_api.');

const log = createLog({ function: 'api', minLevel: levelOf(env('LOG_LEVEL')) });

const maxConnections = countOf(env, 'DB_CONNECTIONS_API') ?? undefined;
/** The container checks and ends it. */
export const pool = connect(url, log.note, maxConnections);

const readUrl = env('DB_URL_API_READ');
const noteOfReplica = (line: string): void => log.note(`Replica: ${line}`);
/** The container ends it. Undefined without a replica. */
export const replica = readUrl
  ? new ReplicaReader(connect(readUrl, noteOfReplica, maxConnections, 'parallax api read'), log)
  : undefined;

const { fetch: respond, leases } = createApi({
  pool,
  replica,
  log,
  metricsKeys: [ownKeyOf(env, 'METRICS_KEY'), ownKeyOf(env, 'CRON_KEY')].filter((key) => key !== null),
  platform: platformOf(env),
  resolve: (name, type) => Deno.resolveDns(name, type),
  env: { FEED_SOURCE: env('FEED_SOURCE'), SUPABASE_URL: publicUrlOf(env) },
  stream: streamSettingsOf(env),
  exports: exportLinksOf(env),
  carrier: carrierSettingsOf(env),
});

/** The container returns them when it stops. */
export { leases };

export default { fetch: (request: Request) => respond(request) };
