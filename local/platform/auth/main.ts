// The process that replaces GoTrue, PostgREST and Storage: @supabase/lite on our Postgres. The
// comments below list its bugs and the workarounds. It listens on a unix socket (AUTH_SOCKET); the
// gateway forwards /auth/v1, /rest/v1 and /storage/v1 to it.
import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import postgres from 'postgres';
import { loadLite } from '../postgres/lite.ts';
import { FolderAdapter } from '../storage/folder_adapter.ts';
import { withSignedUrls } from '../storage/signed_urls.ts';
import { toLogText } from '../user_error.ts';
import { answer } from './adapter.ts';
import { guarded } from './guard.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing from the environment`);
  return value;
}

const socket = setting('AUTH_SOCKET');
const url = setting('AUTH_DB_URL');
const { App, setExperimental, createPostgresConnection } = await loadLite();
// Off by default in lite.
setExperimental('storage', true);
const connection = createPostgresConnection({ url, postgresOptions: { onnotice: () => {} } });
// At its first data request, lite grants ALL on every table of every schema with row security to
// anon and authenticated, which would undo our revokes. It does so only while it does not know
// whether row security exists.
Object.assign(connection, { rlsState: 'active' });

const app = new App({
  connection,
  api: { enabled: true, schemas: ['api'], max_rows: 1000 },
  storage: { enabled: true },
  auth: {
    enabled: true,
    enable_signup: true,
    jwt_secret: setting('AUTH_JWT_SECRET'),
    publishable_key: setting('AUTH_PUBLISHABLE_KEY'),
    secret_key: setting('AUTH_SECRET_KEY'),
    site_url: setting('AUTH_SITE_URL'),
    jwt_expiry: 3600,
    minimum_password_length: 8,
    email: { enable_signup: true, enable_confirmations: false },
  },
});
app._storageAdapter = new FolderAdapter(setting('STORAGE_FOLDER'));
await app.init();

// lite may have replaced auth.uid() by one that reads an old setting only. Callers that send the
// claims as JSON would then have no user id.
const sql = postgres(url, { max: 1, onnotice: () => {} });
const [uid] = await sql<{ whole: boolean }[]>`
  select pg_get_functiondef('auth.uid()'::regprocedure) like '%request.jwt.claims%' as whole`;
await sql.end();
if (!uid?.whole) throw new Error('auth.uid() does not read request.jwt.claims: @supabase/lite has replaced it.');

rmSync(socket, { force: true });
const handler = guarded((asked) => withSignedUrls(asked, (request) => app.fetch(request)));
// The gateway keeps its connections. One that closes here at the moment of its use would lose a
// request with a body.
const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
  void answer(request, response, handler);
});
server.listen(socket);

// An unhandled rejection inside lite (a connection lost while Postgres restarts) must not end all
// sessions.
process.on('unhandledRejection', (error) => console.error(`Unhandled rejection: ${toLogText(error)}`));
process.on('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void connection.close().finally(() => process.exit(0));
  setTimeout(() => process.exit(0), 2_000).unref();
});
