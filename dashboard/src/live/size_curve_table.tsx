import { dollars, exactDollars, NO_VALUE } from '../components/format.ts';
import { ScrollTable } from '../components/scroll_table.tsx';
import { contractsOf, edgeOf } from './amounts.ts';
import { mostProfitablePoint, type SizeCurvePoint } from './cost_breakdown.ts';
import { annualizedOf } from './stake.ts';

const WIDTH = 420;
const HEIGHT = 150;
const MARGIN = { left: 44, right: 12, top: 10, bottom: 24 };

type SizeCurveProps = {
  steps: readonly SizeCurvePoint[];
  quoted: number;
  /** Contracts that the stake buys; undefined for none. */
  staked: number | undefined;
  settlesAt: string | null | undefined;
  /** Market time, epoch ms. */
  now: number;
};

/** Edge and profit at growing size, as a chart and a table. */
export function SizeCurveTable({ steps, quoted, staked, settlesAt, now }: SizeCurveProps) {
  if (steps.length === 0) return <p class="muted small">No size curve is available for this opportunity.</p>;
  const best = mostProfitablePoint(steps);
  return (
    <figure class="size-curve">
      <figcaption>
        <h4>Edge by size</h4>
        {best && (
          <p class="small muted">
            Highest profit: {dollars(best.profit_usd)} at {contractsOf(best.contracts)} contracts. Available at the best
            asks: {contractsOf(quoted)}.
            {staked !== undefined && ` The solid line is your stake: ${contractsOf(staked)}.`}
          </p>
        )}
      </figcaption>
      <EdgeChart steps={steps} quoted={quoted} staked={staked} best={best} />
      <ScrollTable label="Edge by size">
        <table class="table little">
          <thead>
            <tr>
              <th scope="col" class="number">
                Contracts
              </th>
              <th scope="col" class="number">
                Cost
              </th>
              <th scope="col" class="number">
                Edge
              </th>
              <th scope="col" class="number">
                Profit
              </th>
              <th scope="col" class="number" title="The edge for 365 days at the same rate, in points of the payout">
                A year
              </th>
            </tr>
          </thead>
          <tbody>
            {steps.map((step) => (
              <tr key={step.contracts} class={step === best ? 'is-best' : ''}>
                <td class="number">{contractsOf(step.contracts)}</td>
                <td class="number" title={exactDollars(step.cost_usd)}>
                  {dollars(step.cost_usd)}
                </td>
                <td class="number" title={`${step.edge_pct} points`}>
                  {edgeOf(step.edge_pct)}
                </td>
                <td class="number" title={exactDollars(step.profit_usd)}>
                  {dollars(step.profit_usd)}
                </td>
                <td class="number">{yearlyText(annualizedOf(step.edge_pct, settlesAt, now))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollTable>
    </figure>
  );
}

const yearlyText = (pct: number | null): string => (pct === null ? NO_VALUE : `${pct.toFixed(1)} pts`);

/** The chart is hidden from screen readers; the table has the same numbers. */
function EdgeChart({
  steps,
  quoted,
  staked,
  best,
}: {
  steps: readonly SizeCurvePoint[];
  quoted: number;
  staked: number | undefined;
  best: SizeCurvePoint | undefined;
}) {
  const most = Math.max(...steps.map((step) => step.contracts));
  const top = Math.max(...steps.map((step) => step.edge_pct), 0.5);
  const x = (contracts: number) => MARGIN.left + (contracts / most) * (WIDTH - MARGIN.left - MARGIN.right);
  const y = (edge: number) =>
    HEIGHT - MARGIN.bottom - (Math.max(0, edge) / top) * (HEIGHT - MARGIN.top - MARGIN.bottom);
  const first = steps[0];
  // Up to the first point the best asks apply. After it the edge falls as deeper levels are bought.
  const line = [
    `M${x(0)},${y(first?.edge_pct ?? 0)}`,
    ...steps.map((step) => `L${x(step.contracts)},${y(step.edge_pct)}`),
  ].join('');
  return (
    <svg class="edge-chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {[0, top / 2, top].map((edge) => (
        <g key={edge}>
          <line class="grid" x1={MARGIN.left} x2={WIDTH - MARGIN.right} y1={y(edge)} y2={y(edge)} />
          <text x={MARGIN.left - 6} y={y(edge) + 4} text-anchor="end">
            {edge.toFixed(1)}
          </text>
        </g>
      ))}
      <path class="area" d={`${line}L${x(most)},${y(0)}L${x(0)},${y(0)}Z`} />
      <path class="edge" d={line} />
      <line class="quoted" x1={x(Math.min(quoted, most))} x2={x(Math.min(quoted, most))} y1={MARGIN.top} y2={y(0)} />
      {staked !== undefined && (
        <line class="staked" x1={x(Math.min(staked, most))} x2={x(Math.min(staked, most))} y1={MARGIN.top} y2={y(0)} />
      )}
      {steps.map((step) => (
        <circle
          key={step.contracts}
          class={step === best ? 'best' : ''}
          cx={x(step.contracts)}
          cy={y(step.edge_pct)}
          r="3.5"
        />
      ))}
      <text x={MARGIN.left} y={HEIGHT - 6}>
        0
      </text>
      <text x={WIDTH - MARGIN.right} y={HEIGHT - 6} text-anchor="end">
        {contractsOf(most)} contracts
      </text>
    </svg>
  );
}
