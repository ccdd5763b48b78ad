import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { denoProgram, repository } from '../../local/platform/postgres/binaries.ts';
import { buildFromSql } from '../../local/platform/postgres/build.ts';
import { freePort } from '../../local/platform/postgres/postgres.ts';
import { startTemporaryPostgres } from '../../local/platform/postgres/temporary_postgres.ts';
import { exactCpuTimeOf } from './cpu_time.ts';
import { createMarketsFixture, path, rateOf } from './markets_fixture.ts';
import { getOf, RawClient } from './raw_client.ts';

const scratch = await startTemporaryPostgres();
await buildFromSql(await scratch.create('template_db'));
const fixture = await createMarketsFixture(scratch, 'template_db', 60, 'leases');
await fixture.sql`select account.set_lease_percent(k.org_id, 1) from account.keys k`;
fixture.isolate.stop();
const port = await freePort();
const child = spawn(
  denoProgram(),
  [
    'serve',
    '--cpu-prof',
    '--cpu-prof-dir=/tmp/w/xl_prof',
    '--no-prompt',
    '-A',
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    join(repository, 'functions/api/index.ts'),
  ],
  { cwd: repository, env: { ...process.env, DB_URL_API: fixture.url, FEED_SOURCE: 'live' }, stdio: 'inherit' },
);
await new Promise((r) => setTimeout(r, 6000));
const clients = await Promise.all(Array.from({ length: 16 }, () => RawClient.open(port)));
const request = getOf(path(50), fixture.key, true);
for (let round = 0; round < 3; round++) {
  const before = exactCpuTimeOf(child.pid ?? 0) ?? 0;
  const rate = await rateOf(clients, request, 4);
  console.log(Math.round(rate), 'cpu us', (((exactCpuTimeOf(child.pid ?? 0) ?? 0) - before) * 1000) / (rate * 4));
}
child.kill('SIGINT');
await new Promise((r) => child.once('exit', r));
for (const c of clients) c.close();
await fixture.sql.end();
await scratch.stop();
process.exit(0);
