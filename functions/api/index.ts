// The Edge Function `api`. Everything that Deno alone knows is here; the rest runs under Node too.
import { createApp } from './app.ts';
import { connect } from './database.ts';
import { streamSettingsOf } from './stream_token.ts';

const url = Deno.env.get('DB_URL_API');
if (!url) throw new Error('DB_URL_API is not set: it is the address of the database for the role parallax_api.');

const app = createApp({
  sql: connect(url),
  env: { FEED_SOURCE: Deno.env.get('FEED_SOURCE'), SUPABASE_URL: Deno.env.get('SUPABASE_URL') },
  stream: streamSettingsOf((name) => Deno.env.get(name)),
});

export default { fetch: (request: Request) => app.fetch(request) };
