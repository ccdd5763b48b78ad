import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseUrl } from '../../../local/platform/postgres/postgres.ts';
import type { Sql } from '../../../local/platform/postgres/template.ts';
import type { TemporaryPostgres } from '../../../local/platform/postgres/temporary_postgres.ts';
import { TEST_TEMPLATE } from '../../support/names.ts';
import { startOwnPostgres } from '../../support/own_postgres.ts';
import { pause, waitUntil } from '../../support/wait_until.ts';
import { createKey, type OrganizationKey } from '../function/minted.ts';
import { type Carrier, type CentrifugoNode, missingCentrifugo, startCarrier } from './nodes.ts';
import { Swarm } from './swarm.ts';
import type { SwarmReport } from './swarm_process.ts';

// Two nodes, many clients, and a node that is killed again and again. CARRIER_KILLS=full: 5,000
// clients, and one kill a minute for ten minutes. The default is 400 clients and three kills.
const full = process.env.CARRIER_KILLS === 'full';
const clients = Number(process.env.CARRIER_CLIENTS ?? (full ? 5_000 : 400));
const kills = full ? 10 : 3;
const secondsBetweenKills = full ? 60 : 15;
const downSeconds = 5;
// Two cores do not send 50,000 publications a second while 2,500 clients come back within a minute.
const framesASecond = full ? 2 : 10;
const clientsOfOne = 10;

if (missingCentrifugo) console.log(`skipped over Centrifugo: ${missingCentrifugo}`);

let scratch: TemporaryPostgres;
let sql: Sql;
let carrier: Carrier;
let nodes: CentrifugoNode[];
beforeAll(async () => {
  if (missingCentrifugo) return;
  scratch = await startOwnPostgres();
  sql = postgres(await scratch.create('killed_nodes', TEST_TEMPLATE), { max: 8, onnotice: () => {} });
  const url = (role: string) => databaseUrl(scratch.cluster.port, role, scratch.password, 'killed_nodes');
  carrier = await startCarrier({ sql, broker: 'postgres', url });
  nodes = [await carrier.startNode(), await carrier.startNode()];
  // An organization has ten clients. Its limit is twenty, because those of a killed node count
  // until functions/api has asked the nodes, which it does where the limit is reached.
  await sql`update account.tiers set stream_connections = ${2 * clientsOfOne}, window_requests = 1000000`;
});
afterAll(async () => {
  await carrier?.stop();
  await sql?.end({ timeout: 2 });
  await scratch?.stop();
});

test.skipIf(missingCentrifugo)(
  `${clients} clients receive every offset once and in order, or learn of a gap, while nodes are killed`,
  async () => {
    const orgs: OrganizationKey[] = [];
    for (let n = 0; n < clients / clientsOfOne; n += 1) orgs.push(await createKey(sql, 'basic'));
    const keys = Array.from({ length: clients }, (_, n) => orgs[n % orgs.length]?.key ?? '');
    const urls = nodes.map(({ url }) => url);
    const swarm = new Swarm({ api: carrier.api.base, keys, urls, channel: 'markets:all' }, full ? 4 : 2);
    const untilAll = async (what: string) => {
      const began = Date.now();
      await waitUntil(async () => (await swarm.report()).connected === clients, {
        what: `${what}: all are connected`,
        timeoutMs: full ? 240_000 : 120_000,
        everyMs: 250,
        evidence: async () => JSON.stringify(await swarm.report()),
      });
      return Date.now() - began;
    };
    let publishing: ReturnType<typeof setInterval> | undefined;
    try {
      console.log(`${clients} clients connected in ${await untilAll('the start')} ms`);
      let published = 0;
      publishing = setInterval(() => {
        published += 1;
        const frame = `{"type":"price","id":"mkt_${published}"}`;
        sql`select stream.append_publication('markets:all', ${[frame]})`.execute().catch(() => {});
      }, 1_000 / framesASecond);
      for (let kill = 0; kill < kills; kill += 1) {
        const killedAt = Date.now();
        const node = nodes[kill % nodes.length] as CentrifugoNode;
        await node.kill('SIGKILL');
        const backMs = untilAll(`kill ${kill + 1}`);
        await pause(downSeconds * 1_000);
        await node.restart();
        console.log(`kill ${kill + 1}: all clients were back after ${await backMs} ms`);
        await pause(Math.max(0, killedAt + secondsBetweenKills * 1_000 - Date.now()));
      }
      clearInterval(publishing);
      const report = await settled(swarm);
      console.log(JSON.stringify(report));
      expect(report.gaps).toEqual([]);
      expect(report.connected).toBe(clients);
      expect(report.connects).toBeGreaterThan(clients + (kills * clients) / 4);
      // Ten seconds of frames are far below what a client can recover.
      expect(report.notRecovered).toBe(0);
      expect(report.recovered).toBe(report.connects - clients);
      expect(report.publications).toBeGreaterThan(clients * framesASecond * kills);
      // While all come back at once, one server of the API sends some away for a moment: a ticket
      // gets 503 or no answer within 20 s, and a connect gets error 100, after which the client
      // closes. A connection on which the node gave up counts for 5 s, so the limit may be reached.
      expect(Object.keys(report.refusedTickets).filter((why) => !['503', 'no answer'].includes(why))).toEqual([]);
      expect(Object.keys(report.closes).filter((code) => !['1005', '1006', '3001', '4429'].includes(code))).toEqual([]);
    } finally {
      clearInterval(publishing);
      swarm.stop();
    }
  },
  (2 * kills * secondsBetweenKills + 300) * 1_000,
);

/** What the clients report once all of them have the last frame. */
async function settled(swarm: Swarm): Promise<SwarmReport> {
  // Asked each time, because the last frames may be on their way to the database.
  let top = 0;
  return await waitUntil(
    async () => {
      const [row] = await sql<
        { top: string }[]
      >`select last_offset as top from stream.channels where channel = 'markets:all'`;
      top = Number(row?.top);
      const report = await swarm.report();
      return report.lowest === top && report.highest === top ? report : undefined;
    },
    {
      what: 'all clients have the last offset',
      timeoutMs: 60_000,
      evidence: async () => JSON.stringify({ top, ...(await swarm.report()) }),
    },
  );
}
