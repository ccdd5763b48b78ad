// The process that stands in for pg_cron and pg_net. JOBS_ADMIN_URL sees all jobs and requests; JOBS_OWNER_URL runs the jobs.
import postgres from 'postgres';
import { errorText, toLogText } from '../user_error.ts';
import { CronRunner } from './cron.ts';
import { NetRunner } from './net.ts';

const { JOBS_ADMIN_URL: adminUrl, JOBS_OWNER_URL: ownerUrl } = process.env;
if (!adminUrl || !ownerUrl) throw new Error('JOBS_ADMIN_URL and JOBS_OWNER_URL are not set');

const admin = postgres(adminUrl, {
  max: 4,
  // Nobody could catch what it rejects with when the server goes down meanwhile.
  fetch_types: false,
  onnotice: () => {},
  connection: { application_name: 'jobs' },
  // Back soon after Postgres restarted.
  backoff: (attempt: number) => Math.min(0.05 * 2 ** attempt, 1),
});
const cron = new CronRunner(admin, ownerUrl);
const net = new NetRunner(admin);
const reload = () =>
  cron.reload().catch((error: unknown) => console.error(`the jobs cannot be read: ${errorText(error)}`));

await cron.start();
// The third argument runs again after each reconnection: what was notified meanwhile is looked for.
await admin.listen('cron_wake', reload, () => void reload());
await admin.listen(
  'net_wake',
  () => net.wake(),
  () => net.wake(),
);
net.start();
setInterval(reload, 5_000);
process.send?.('ready');

process.on('unhandledRejection', (error) => console.error(`unhandled: ${toLogText(error)}`));
let leaving = false;
process.on('SIGTERM', async () => {
  if (leaving) return;
  leaving = true;
  net.stop();
  const patience = new Promise((resolve) => setTimeout(resolve, 2_000));
  await Promise.race([cron.stop(), patience]);
  process.exit(0);
});
