/**
 * Resolves one record type of a name: `Deno.resolveDns`, or `Resolver.resolve` of node:dns. Rejects
 * where the name has no such record.
 */
export type Resolve = (name: string, type: 'A' | 'AAAA') => Promise<unknown>;

/** The addresses of a name (empty: it has none), or `timedOut` where no server answered in time. */
export type DnsAnswer = { addresses: string[] } | { timedOut: true };

/**
 * Resolves the IPv4 and IPv6 addresses of a name. It asks the DNS only: a hosts file of this
 * machine would name addresses that are not public. A name with addresses in one family resolves
 * even where the other family times out. Without any address, one timeout makes the answer
 * `timedOut`.
 */
export async function resolveAddresses(resolve: Resolve, name: string, timeoutMs: number): Promise<DnsAnswer> {
  const [a, aaaa] = await Promise.all([
    queryAddresses(resolve, name, 'A', timeoutMs),
    queryAddresses(resolve, name, 'AAAA', timeoutMs),
  ]);
  const addresses = [a, aaaa].flatMap((answer) => ('addresses' in answer ? answer.addresses : []));
  return addresses.length === 0 && ('timedOut' in a || 'timedOut' in aaaa) ? { timedOut: true } : { addresses };
}

async function queryAddresses(
  resolve: Resolve,
  name: string,
  type: 'A' | 'AAAA',
  timeoutMs: number,
): Promise<DnsAnswer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<DnsAnswer>((settle) => {
    timer = setTimeout(() => settle({ timedOut: true }), timeoutMs);
  });
  const query = resolve(name, type).then(
    (found): DnsAnswer => ({ addresses: Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [] }),
    (error: unknown): DnsAnswer => (isNoSuchName(error) ? { addresses: [] } : { timedOut: true }),
  );
  const first = await Promise.race([query, timeout]);
  clearTimeout(timer);
  return first;
}

/**
 * Node reports codes, Deno reports `NotFound`. Deno's `NotFound` also covers a failure of the
 * server (SERVFAIL), so both runtimes count SERVFAIL as no address.
 */
function isNoSuchName(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('name' in error && error.name === 'NotFound') return true;
  return 'code' in error && ['ENOTFOUND', 'ENODATA', 'ESERVFAIL'].includes(String(error.code));
}
