import { type BenchCluster, PROXY_SECRET } from './cluster.ts';
import { cpuOf } from './usage.ts';

const CALLS = 2_000;
const AT_ONCE = 16;

/** What the nodes ask before the leases of their connections end. */
export async function measureRefreshes({
  sql,
  api,
  apiPid,
}: BenchCluster): Promise<{ refreshesPerSecond: number; refreshApiCpuMs: number }> {
  const connections = await sql<{ client: string; node: string }[]>`
    select connection_id as client, node from stream.connections where node is not null limit ${CALLS}`;
  if (connections.length === 0) throw new Error('no connection is counted');
  const [from, before] = [performance.now(), cpuOf([apiPid])];
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < CALLS; n = next++) {
      const { client, node } = connections[n % connections.length] ?? { client: '', node: '' };
      const response = await fetch(`${api}/internal/stream/refresh`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Stream-Proxy': PROXY_SECRET, 'X-Stream-Node': node },
        body: JSON.stringify({ client }),
      });
      const { result } = (await response.json()) as { result?: { expire_at?: number } };
      if (!result?.expire_at) throw new Error(`the lease of ${client} was not renewed`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return {
    refreshesPerSecond: (1_000 * CALLS) / (performance.now() - from),
    refreshApiCpuMs: (cpuOf([apiPid]) - before) / CALLS,
  };
}
