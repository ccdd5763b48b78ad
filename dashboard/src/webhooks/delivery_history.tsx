import { useEffect, useState } from 'preact/hooks';
import { Problem } from '../components/problem.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { useQuery } from '../components/use_query.ts';
import { type Delivery, PAGE_ROWS } from './delivery.ts';
import { DeliveryRow } from './delivery_row.tsx';

type LogProps = {
  /** Deliveries, newest first, PAGE_ROWS at once: those before `before`, or the newest. */
  read(state: Delivery['state'] | null, before: string | null): Promise<Delivery[]>;
  /** Absent when the user may not replay. */
  replay?: ((id: string) => Promise<void>) | undefined;
  /** Changes when a test was sent, so that the list updates at once. */
  sent: number;
};

/** The deliveries to one endpoint of the last seven days, with their results. */
export function DeliveryHistory({ read, replay, sent }: LogProps) {
  const [failed, setFailed] = useState(false);
  const [pages, setPages] = useState(1);
  const [soon, setSoon] = useState(true);
  const reading = useQuery(
    () => readPages(read, failed ? 'failed' : null, pages),
    [failed, pages],
    soon ? 1_500 : 10_000,
  );
  const rows = reading.value;
  useEffect(() => setSoon(rows?.some((row) => row.state === 'waiting') ?? true), [rows]);
  useEffect(() => {
    if (sent > 0) void reading.refetch();
  }, [sent]);
  const choose = (only: boolean) => {
    setFailed(only);
    setPages(1);
  };
  return (
    <section class="delivery-history" aria-label="Deliveries of the last 7 days">
      <div class="delivery-head">
        <h3>
          Deliveries <span class="muted small">Kept for 7 days</span>
        </h3>
        <div class="segments">
          <button type="button" aria-pressed={!failed} onClick={() => choose(false)}>
            All
          </button>
          <button type="button" aria-pressed={failed} onClick={() => choose(true)}>
            Failed
          </button>
        </div>
      </div>
      {rows === undefined ? (
        reading.error ? (
          <Problem error={reading.error} onRetry={() => void reading.refetch()} />
        ) : (
          <div class="wait delivery-wait" aria-busy="true" />
        )
      ) : rows.length === 0 ? (
        <p class="delivery-none muted">
          {failed
            ? 'No failed deliveries in the last 7 days.'
            : 'No deliveries in the last 7 days. Send a test to check the endpoint.'}
        </p>
      ) : (
        <>
          <ScrollTable label="Deliveries">
            <table class="table deliveries">
              <thead>
                <tr>
                  <th scope="col">State</th>
                  <th scope="col">Event</th>
                  <th scope="col">Created</th>
                  <th scope="col" class="number">
                    Attempts
                  </th>
                  <th scope="col">Last response</th>
                  <th scope="col">
                    <span class="visually-hidden">Actions</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <DeliveryRow
                    key={row.delivery_id}
                    delivery={row}
                    replay={
                      replay &&
                      (async (id) => {
                        await replay(id);
                        await reading.refetch();
                      })
                    }
                  />
                ))}
              </tbody>
            </table>
          </ScrollTable>
          {rows.length === pages * PAGE_ROWS && (
            <p class="delivery-none">
              <button type="button" class="button little" onClick={() => setPages(pages + 1)}>
                Show older
              </button>
            </p>
          )}
        </>
      )}
    </section>
  );
}

/** Reads the newest `pages` pages. */
async function readPages(read: LogProps['read'], state: Delivery['state'] | null, pages: number): Promise<Delivery[]> {
  const rows: Delivery[] = [];
  for (let page = 0; page < pages; page++) {
    const some = await read(state, rows.at(-1)?.delivery_id ?? null);
    rows.push(...some);
    if (some.length < PAGE_ROWS) break;
  }
  return rows;
}
