/** webhook.deliveries as it ended. */
export type DeliveryRow = {
  id: string;
  endpoint: string;
  event: string;
  pair: string | null;
  state: string;
  attempts: number;
  body: string;
  /** Order of the ends. */
  finished: string | null;
};
export type EndpointRow = { id: string; failures: number; disabled: string | null };
/** What the receiver was sent: the bodies under each id, and how often. */
export type Arrivals = ReadonlyMap<string, { bodies: ReadonlySet<string>; times: number }>;

export function wrongInDeliveries(
  rows: readonly DeliveryRow[],
  endpoints: readonly EndpointRow[],
  arrived: Arrivals,
): string[] {
  const wrong: string[] = [];
  const known = new Map(rows.map((row) => [row.id, row]));
  const disabled = new Set(endpoints.filter((one) => one.disabled !== null).map((one) => one.id));
  const created = new Set<string>();
  for (const row of rows) {
    const told = `${row.event} ${row.id}`;
    if (row.state === 'delivered' && !arrived.has(row.id)) wrong.push(`${told} is delivered and never came`);
    else if (row.state === 'failed' && row.attempts !== 4) wrong.push(`${told} failed after ${row.attempts} attempts`);
    else if (row.state === 'dropped' && !disabled.has(row.endpoint))
      wrong.push(`${told} was dropped by a live endpoint`);
    else if (row.state === 'waiting') wrong.push(`${told} still waits`);
    if (row.event !== 'pair.created') continue;
    const once = `${row.pair} ${row.endpoint}`;
    if (created.has(once)) wrong.push(`${told}: told of ${once} twice`);
    created.add(once);
  }
  for (const [id, { bodies }] of arrived) {
    const row = known.get(id);
    if (!row) wrong.push(`${id} came and was never decided`);
    else if (bodies.size !== 1 || !bodies.has(row.body)) wrong.push(`${id} came with another body than was decided`);
  }
  return [
    ...wrong,
    ...endpoints.flatMap((one) =>
      wrongEndpoint(
        one,
        rows.filter((row) => row.endpoint === one.id),
      ),
    ),
  ];
}

/** spec.md's table "Webhook endpoint" over the ends of its deliveries, in their order. */
function wrongEndpoint({ id, failures, disabled }: EndpointRow, rows: readonly DeliveryRow[]): string[] {
  let count = 0;
  for (const { state } of rows.filter(({ event }) => event !== 'ping').toSorted(byEnd)) {
    if (count === 20) break;
    if (state === 'delivered') count = 0;
    if (state === 'failed') count += 1;
  }
  if (count === failures && (count === 20) === (disabled !== null)) return [];
  return [`endpoint ${id} has ${failures} failures${disabled ? ' and is disabled' : ''}; its deliveries make ${count}`];
}

const byEnd = (one: DeliveryRow, other: DeliveryRow): number =>
  (one.finished ?? '') < (other.finished ?? '') ? -1 : (one.finished ?? '') > (other.finished ?? '') ? 1 : 0;
