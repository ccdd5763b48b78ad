/** Asks the DNS for the addresses of a name: `Deno.resolveDns`, or a `Resolver.resolve` of node:dns. Rejects where there are none. */
export type Resolve = (name: string, type: 'A' | 'AAAA') => Promise<unknown>;

/** What the DNS said of a name: its addresses, none where it has none; `silent` where nobody answered in time. */
export type DnsAnswer = { addresses: string[] } | { timedOut: true };

/**
 * Addresses of a name in IPv4 and IPv6. Asked of the DNS alone: what a hosts file of the machine says is no public address. A name that
 * has none in one family has those of the other; where one family is silent and the other has none, nothing is known.
 */
export async function resolveAddresses(resolve: Resolve, name: string, withinMs: number): Promise<DnsAnswer> {
  const [a, aaaa] = await Promise.all([
    queryAddresses(resolve, name, 'A', withinMs),
    queryAddresses(resolve, name, 'AAAA', withinMs),
  ]);
  const addresses = [a, aaaa].flatMap((answer) => ('addresses' in answer ? answer.addresses : []));
  return addresses.length === 0 && ('timedOut' in a || 'timedOut' in aaaa) ? { timedOut: true } : { addresses };
}

async function queryAddresses(
  resolve: Resolve,
  name: string,
  type: 'A' | 'AAAA',
  withinMs: number,
): Promise<DnsAnswer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<DnsAnswer>((give) => {
    timer = setTimeout(() => give({ timedOut: true }), withinMs);
  });
  const asked = resolve(name, type).then(
    (found): DnsAnswer => ({ addresses: Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [] }),
    (error: unknown): DnsAnswer => (isNoSuchName(error) ? { addresses: [] } : { timedOut: true }),
  );
  const first = await Promise.race([asked, late]);
  clearTimeout(timer);
  return first;
}

/** Node's codes, and Deno's NotFound, in which a server's own failure (SERVFAIL) cannot be told apart: so it is none in both. */
function isNoSuchName(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if ('name' in error && error.name === 'NotFound') return true;
  return 'code' in error && ['ENOTFOUND', 'ENODATA', 'ESERVFAIL'].includes(String(error.code));
}
