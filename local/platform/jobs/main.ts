// The process that replaces pg_cron and pg_net. JOBS_ADMIN_URL reads all jobs and requests;
// JOBS_OWNER_URL runs the jobs.
import postgres from 'postgres';
import { errorText, toLogText } from '../user_error.ts';
import { CronRunner } from './cron.ts';
import { NetRunner } from './net.ts';

const { JOBS_ADMIN_URL: adminUrl, JOBS_OWNER_URL: ownerUrl } = process.env;
if (!adminUrl || !ownerUrl) throw new Error('JOBS_ADMIN_URL and JOBS_OWNER_URL are missing from the environment.');

const admin = postgres(adminUrl, {
  max: 4,
  // Its query would reject outside of any promise when the server stops.
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'jobs' },
  // Reconnects soon after a restart of Postgres.
  backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1),
});
const cron = new CronRunner(admin, ownerUrl);
const net = new NetRunner(admin);
const reload = () =>
  cron.reload().catch((error: unknown) => console.error(`The jobs could not be read: ${errorText(error)}`));

await cron.start();
// The third argument also runs after each reconnection, because notifications may have been missed.
await admin.listen('cron_wake', reload, () => void reload());
await admin.listen(
  'net_wake',
  () => net.wake(),
  () => net.wake(),
);
net.start();
setInterval(reload, 5_000);
process.send?.('ready');

process.on('unhandledRejection', (error) => console.error(`Unhandled rejection: ${toLogText(error)}`));
let leaving = false;
process.on('SIGTERM', async () => {
  if (leaving) return;
  leaving = true;
  net.stop();
  const patience = new Promise((resolve) => setTimeout(resolve, 2_000));
  await Promise.race([cron.stop(), patience]);
  process.exit(0);
});
