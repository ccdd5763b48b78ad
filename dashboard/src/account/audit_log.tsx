import type { ComponentChildren } from 'preact';
import { Ago } from '../components/ago.tsx';
import { count } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { useQuery } from '../components/use_query.ts';
import { useRpc } from '../session/use_rpc.ts';
import { auditText } from './audit_text.ts';
import type { AuditEntry } from './types.ts';

/** Rows on the page. The database keeps one year. */
const MAX_ROWS = 200;

/**
 * Who changed what, newest first. `children` render after the rows have loaded, so that they do not
 * move.
 */
export function AuditLog({ org, children }: { org: string; children: ComponentChildren }) {
  const { rows } = useRpc();
  const {
    value: changes,
    error,
    refetch,
  } = useQuery(() => rows<AuditEntry>('my_audit', { org, newestBy: ['audit_id'], maxRows: MAX_ROWS }), [org], 30_000);
  return (
    <>
      <section class="card" aria-labelledby="changes">
        <div class="card-head">
          <h2 id="changes">Changes</h2>
          <span class="muted small">Kept for one year</span>
        </div>
        {error && !changes ? (
          <Problem error={error} onRetry={() => void refetch()} />
        ) : changes?.length === 0 ? (
          <p class="card-body muted">No changes yet. Changes to keys, members, plan and name are listed here.</p>
        ) : (
          <ScrollTable label="Changes" kind="audit">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Change</th>
                  <th scope="col">By</th>
                </tr>
              </thead>
              <tbody>
                {(changes ?? []).map((change) => (
                  <tr key={change.audit_id}>
                    <td class="nowrap muted">
                      <Ago at={change.at} />
                    </td>
                    <td class="what">{auditText(change)}</td>
                    <td>{change.actor}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            {changes?.length === MAX_ROWS && (
              <p class="card-body muted small">Only the newest {count(MAX_ROWS)} changes are listed.</p>
            )}
          </ScrollTable>
        )}
      </section>
      {(changes || error) && children}
    </>
  );
}
