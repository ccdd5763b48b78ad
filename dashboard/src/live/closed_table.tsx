import { dollars, duration, exactDollars, exactUtc } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import './closed.css';
import { contractsOf, edgeOf } from './amounts.ts';
import type { ClosedOpportunities } from './frames.ts';
import { reasonText } from './reason_text.ts';

type Row = ClosedOpportunities['opportunities'][number];

/**
 * Closed opportunities with their largest edge, what that locked in, and why they closed. `titles`:
 * of several markets, on one day.
 */
export function ClosedTable({ rows, label, titles }: { rows: readonly Row[]; label: string; titles?: boolean }) {
  return (
    <ScrollTable kind="closed-table" label={label}>
      <table class="table little">
        <thead>
          <tr>
            <th scope="col">Closed, UTC</th>
            {titles && <th scope="col">Market</th>}
            <th scope="col" class="number">
              Lasted
            </th>
            <th scope="col" class="number">
              Largest edge
            </th>
            <th scope="col" class="number">
              Profit then
            </th>
            <th scope="col">Why it closed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td class="nowrap" title={exactUtc(row.closed_at)}>
                {titles ? clockOf(row.closed_at) : dayAndClockOf(row.closed_at)}
              </td>
              {titles && (
                <td class="closed-title">
                  <a href={`/market?id=${encodeURIComponent(row.market_id)}`}>{row.title}</a>
                  {row.market_withdrawn && <span class="muted"> · withdrawn since</span>}
                </td>
              )}
              <td class="number" title={`Opened ${exactUtc(row.opened_at)}`}>
                {duration(Date.parse(row.closed_at) - Date.parse(row.opened_at))}
              </td>
              <td class="number" title={`${row.peak_edge_pct} points`}>
                {edgeOf(row.peak_edge_pct)}
              </td>
              <td
                class="number"
                title={`${exactDollars(row.peak.profit_usd)} with ${contractsOf(row.peak.contracts)} contracts of each leg`}
              >
                {dollars(row.peak.profit_usd)}
              </td>
              <td class="closed-why">{reasonText(row.close_reason)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollTable>
  );
}

/** 14:05:10, in UTC. */
const clockOf = (at: string): string => exactUtc(at).slice(11, 19);

/** 2026-11-27 14:05:10, in UTC. */
const dayAndClockOf = (at: string): string => exactUtc(at).slice(0, 19);
