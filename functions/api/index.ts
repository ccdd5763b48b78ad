// The Edge Function `api`. Only this file uses Deno; the rest runs under Node as well.
import { ownKeyOf } from '../_shared/http/cron_key.ts';
import { createLog, levelOf } from '../_shared/log.ts';
import { platformOf } from '../_shared/platform.ts';
import { countOf } from '../_shared/settings.ts';
import { createApi } from './app.ts';
import { connect } from './database.ts';
import { publicUrlOf } from './public_url.ts';
import { streamSettingsOf } from './stream_token.ts';

const env = (name: string): string | undefined => Deno.env.get(name);
const url = env('DB_URL_API');
if (!url) throw new Error('DB_URL_API is not set. Set it to the database URL of the role parallax_api.');

const log = createLog({ function: 'api', minLevel: levelOf(env('LOG_LEVEL')) });

/** The container checks and ends it. */
export const pool = connect(url, log.note, countOf(env, 'DB_CONNECTIONS_API') ?? undefined);

const { fetch: respond, leases } = createApi({
  pool,
  log,
  metricsKeys: [ownKeyOf(env, 'METRICS_KEY'), ownKeyOf(env, 'CRON_KEY')].filter((key) => key !== null),
  platform: platformOf(env),
  resolve: (name, type) => Deno.resolveDns(name, type),
  env: { FEED_SOURCE: env('FEED_SOURCE'), SUPABASE_URL: publicUrlOf(env) },
  stream: streamSettingsOf(env),
});

/** The container returns them when it stops. */
export { leases };

export default { fetch: (request: Request) => respond(request) };
