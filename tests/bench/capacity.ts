// npx tsx tests/bench/capacity.ts [--port N] [--data DIR] [--seconds N] [--clients N]
//
// Prints what a running stack writes, sends and uses in a second.
// docs/measurements/2026-11-20-capacity.md multiplies these figures. Clients of plan pro are
// connected, to count the bytes on their sockets.

import { readdirSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import WebSocket from 'ws';
import { stackAt } from '../../local/platform/supervisor/find_stack.ts';
import { mintTicket } from '../support/stream_ticket.ts';
import { pause } from '../support/wait_until.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    data: { type: 'string' },
    seconds: { type: 'string', default: '120' },
    clients: { type: 'string', default: '1' },
  },
});
const stack = stackAt(values);
const sql = postgres(stack.database_url, { max: 1, onnotice: () => {} });

type Count = { name: string; value: number };

/** Reads all counters in one statement. They only increase. */
async function counters(): Promise<Map<string, number>> {
  const rows = await sql<Count[]>`
    select 'frames of ' || case when channel like 'candidates:%' then 'candidates' when channel like 'org:%' then 'org' else channel end as name,
           sum(last_offset)::float8 as value
    from stream.channels group by 1
    union all
    select 'rows of ' || coalesce((select i.inhparent::regclass::text from pg_inherits i where i.inhrelid = t.relid), t.relid::regclass::text),
           sum(t.n_tup_ins)::float8
    from pg_stat_user_tables t where t.schemaname in ('price', 'arb', 'stream', 'net', 'realtime', 'webhook') group by 1
    union all
    select 'bytes of schema ' || n.nspname, sum(pg_total_relation_size(c.oid))::float8
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('price', 'arb', 'stream', 'realtime', 'catalog', 'venue') group by 1
    union all
    select 'bytes of WAL', pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8
    union all
    select 'transactions', xact_commit::float8 from pg_stat_database where datname = current_database()`;
  const byName = new Map(rows.map(({ name, value }) => [name, value]));
  for (const [name, value] of cpuSeconds(stack.pid)) byName.set(`CPU s of ${name}`, value);
  return byName;
}

/** CPU seconds of the processes of the stack, by name. */
function cpuSeconds(root: number): Map<string, number> {
  const byName = new Map<string, number>();
  const parents = new Map<number, number>();
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const read = (pid: number, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  const stat = (pid: number) =>
    read(pid, 'stat')
      .replace(/^.*\) /, '')
      .split(' ');
  for (const pid of pids) parents.set(pid, Number(stat(pid)[1]));
  const isDescendant = (pid: number): boolean =>
    pid === root || (parents.has(pid) && pid > 1 && isDescendant(parents.get(pid) ?? 0));
  for (const pid of pids.filter(isDescendant)) {
    const command = read(pid, 'cmdline').replaceAll('\0', ' ');
    const part = /functions\/(\w+)\/index|f-(api|ingest|stream|deliver)\b|local\/platform\/(realtime|jobs)\//.exec(
      command,
    );
    const name =
      part?.[1] ??
      part?.[2] ??
      part?.[3] ??
      (command.startsWith('postgres') || /bin\/postgres/.test(command) ? 'postgres' : 'the rest');
    // utime, stime, and those of ended children, because the backend of a job is short-lived.
    const ticks = stat(pid)
      .slice(11, 15)
      .reduce((sum, text) => sum + Number(text), 0);
    byName.set(name, (byName.get(name) ?? 0) + ticks / 100);
  }
  return byName;
}

type Traffic = { bytes: number; messages: number };

/** Connects a client of plan pro, which receives all channels, and counts its traffic. */
async function connectClient(key: string, traffic: Traffic): Promise<void> {
  const { ticket, ws_url } = await mintTicket(stack.base_url, key);
  const socket = new WebSocket(ws_url);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  socket.on('message', (data: Buffer) => {
    traffic.bytes += data.length;
    traffic.messages += 1;
    if (data.toString().split('\n').includes('{}')) socket.send('{}');
  });
  socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket } } }));
}

/** Connects this many clients, ten for each organization, the limit of plan pro. */
async function connectClients(size: number): Promise<Traffic> {
  const traffic = { bytes: 0, messages: 0 };
  for (let at = 0; at < size; at += 10) {
    const [row] = await sql<{ key: string }[]>`select account.mint_key(${`capacity ${Date.now()}`}, 'pro') as key`;
    for (let n = at; n < Math.min(at + 10, size); n += 1) await connectClient(row?.key ?? '', traffic);
  }
  return traffic;
}

const clients = Number(values.clients);
const traffic = await connectClients(clients);
await pause(5_000);
const [from, before, began] = [{ ...traffic }, await counters(), performance.now()];
await pause(1_000 * Number(values.seconds));
const after = await counters();
const seconds = (performance.now() - began) / 1_000;
const [pairs] = await sql<
  { n: number }[]
>`select count(*)::integer as n from catalog.pairs where status in ('open', 'live')`;
const [sent] = await sql<{ n: number; framed: number; bytes: number }[]>`
  select count(*)::float8 as n, count(*) filter (where payload ? 'frames')::float8 as framed, coalesce(sum(length(payload::text)), 0)::float8 as bytes
  from realtime.messages where inserted_at > (clock_timestamp() - make_interval(secs => ${seconds})) at time zone 'UTC'`;
console.log(`${pairs?.n} pairs open or live, ${seconds.toFixed(0)} s`);
const printRate = (name: string, value: number) =>
  console.log(`${(value / seconds).toFixed(3).padStart(14)} /s  ${name}`);
printRate('broadcasts to Realtime', sent?.n ?? 0);
printRate('… of them with frames', sent?.framed ?? 0);
printRate('bytes of broadcasts', sent?.bytes ?? 0);
printRate('bytes to one client (pro)', (traffic.bytes - from.bytes) / clients);
printRate('WebSocket messages to one client (pro)', (traffic.messages - from.messages) / clients);
for (const [name, value] of [...after].sort()) {
  const rise = value - (before.get(name) ?? 0);
  if (rise > 0) printRate(name, rise);
}
await sql.end();
process.exit(0);
