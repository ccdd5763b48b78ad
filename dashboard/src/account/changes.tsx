import type { ComponentChildren } from 'preact';
import { Ago } from '../components/ago.tsx';
import { count } from '../components/figures.ts';
import { Problem } from '../components/problem.tsx';
import { useReading } from '../components/reading.ts';
import { TableRoom } from '../components/table_room.tsx';
import { useAsking } from '../session/asking.ts';
import { changeWords } from './change_words.ts';
import type { Change } from './types.ts';

/** What a page shows at once; the database keeps a year. */
const most = 200;

/** The audit: who changed what, newest first. What comes below it waits for it, or it would jump. */
export function Changes({ org, children }: { org: string; children: ComponentChildren }) {
  const { rows } = useAsking();
  const {
    value: changes,
    error,
    again,
  } = useReading(() => rows<Change>('my_audit', { org, newestBy: ['audit_id'], most }), [org], 30_000);
  return (
    <>
      <section class="card" aria-labelledby="changes">
        <div class="card-head">
          <h2 id="changes">Changes</h2>
          <span class="muted small">Kept for a year</span>
        </div>
        {error && !changes ? (
          <Problem error={error} again={() => void again()} />
        ) : changes?.length === 0 ? (
          <p class="card-body muted">Nothing has been changed yet. Keys, members, plan and name leave a line here.</p>
        ) : (
          <TableRoom label="Changes" kind="audit">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">What</th>
                  <th scope="col">Who</th>
                </tr>
              </thead>
              <tbody>
                {(changes ?? []).map((change) => (
                  <tr key={change.audit_id}>
                    <td class="nowrap muted">
                      <Ago at={change.at} />
                    </td>
                    <td class="what">{changeWords(change)}</td>
                    <td>{change.actor}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {changes?.length === most && <p class="card-body muted small">The newest {count(most)} are shown.</p>}
          </TableRoom>
        )}
      </section>
      {(changes || error) && children}
    </>
  );
}
