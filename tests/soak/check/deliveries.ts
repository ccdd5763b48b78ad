/** A row of webhook.deliveries at the end of the run. */
export type DeliveryRow = {
  id: string;
  endpoint: string;
  event: string;
  pair: string | null;
  state: string;
  attempts: number;
  body: string;
  /** Time of the final state as sortable text. */
  finished: string | null;
};
export type EndpointRow = { id: string; failures: number; disabled: string | null };
/** The bodies that the receiver got under each id, and how often. */
export type Arrivals = ReadonlyMap<string, { bodies: ReadonlySet<string>; times: number }>;

export function deliveryErrors(
  rows: readonly DeliveryRow[],
  endpoints: readonly EndpointRow[],
  arrived: Arrivals,
): string[] {
  const errors: string[] = [];
  const known = new Map(rows.map((row) => [row.id, row]));
  const disabled = new Set(endpoints.filter((one) => one.disabled !== null).map((one) => one.id));
  const created = new Set<string>();
  for (const row of rows) {
    const label = `${row.event} ${row.id}`;
    if (row.state === 'delivered' && !arrived.has(row.id)) errors.push(`${label} is delivered and did not arrive`);
    else if (row.state === 'failed' && row.attempts !== 4)
      errors.push(`${label} failed after ${row.attempts} attempts`);
    else if (row.state === 'dropped' && !disabled.has(row.endpoint))
      errors.push(`${label} was dropped for an enabled endpoint`);
    else if (row.state === 'waiting') errors.push(`${label} still waits`);
    // The measured deliveries of the load name no pair.
    if (row.event !== 'pair.created' || row.pair === null) continue;
    const pairAndEndpoint = `${row.pair} ${row.endpoint}`;
    if (created.has(pairAndEndpoint)) errors.push(`${label}: second delivery for ${pairAndEndpoint}`);
    created.add(pairAndEndpoint);
  }
  for (const [id, { bodies }] of arrived) {
    const row = known.get(id);
    if (!row) errors.push(`${id} arrived and is not in webhook.deliveries`);
    else if (bodies.size !== 1 || !bodies.has(row.body)) errors.push(`${id} arrived with a body that is not its own`);
  }
  return [
    ...errors,
    ...endpoints.flatMap((one) =>
      endpointErrors(
        one,
        rows.filter((row) => row.endpoint === one.id),
      ),
    ),
  ];
}

/** Replays the final states of the deliveries in order through the state table of an endpoint. */
function endpointErrors({ id, failures, disabled }: EndpointRow, rows: readonly DeliveryRow[]): string[] {
  let count = 0;
  for (const { state } of rows.filter(({ event }) => event !== 'ping').toSorted(byFinishTime)) {
    if (count === 20) break;
    if (state === 'delivered') count = 0;
    if (state === 'failed') count += 1;
  }
  if (count === failures && (count === 20) === (disabled !== null)) return [];
  return [`endpoint ${id} has ${failures} failures${disabled ? ' and is disabled' : ''}; its deliveries have ${count}`];
}

const byFinishTime = (one: DeliveryRow, other: DeliveryRow): number =>
  (one.finished ?? '') < (other.finished ?? '') ? -1 : (one.finished ?? '') > (other.finished ?? '') ? 1 : 0;
