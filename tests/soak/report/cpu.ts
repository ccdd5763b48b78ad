import type { Moment } from '../timeline.ts';
import { hasLatency, type WindowMark } from '../windows.ts';
import { escaped } from './plot.ts';
import type { Result } from './result.ts';

/** Cores that each kind of process used, by window: `quiet`, or the attack. */
export type CpuUse = Map<string, Map<string, number>>;

export function cpuUseOf(moments: readonly Moment[], windows: readonly WindowMark[]): CpuUse {
  const seconds = new Map<string, number>();
  const used: CpuUse = new Map();
  for (const { kind, attack, from, to } of windows) {
    if (!hasLatency(kind)) continue;
    const inside = moments.filter(({ at }) => at >= from && at < to);
    const [first, last] = [inside[0], inside.at(-1)];
    if (!first || !last) continue;
    const column = attack ?? 'quiet';
    seconds.set(column, (seconds.get(column) ?? 0) + (last.at - first.at) / 1_000);
    for (const [name, total] of Object.entries(last.cpu)) {
      const columns = used.get(name) ?? new Map<string, number>();
      columns.set(column, (columns.get(column) ?? 0) + total - (first.cpu[name] ?? 0));
      used.set(name, columns);
    }
  }
  for (const columns of used.values())
    for (const [column, total] of columns) columns.set(column, total / (seconds.get(column) || Number.NaN));
  return used;
}

/** The table of CPU: one row for each kind of process, the busiest first. */
export function renderCpu({ moments, windows }: Result): string {
  const use = cpuUseOf(moments, windows);
  const columns = [...new Set([...use.values()].flatMap((one) => [...one.keys()]))];
  if (columns.length === 0) return '';
  const busiest = (one: Map<string, number>) => Math.max(0, ...one.values());
  const rows = [...use]
    .toSorted(([, one], [, other]) => busiest(other) - busiest(one))
    .map(([name, one]) => [name, ...columns.map((column) => (one.get(column) ?? 0).toFixed(2))]);
  const sums = columns.map((column) => [...use.values()].reduce((sum, one) => sum + (one.get(column) ?? 0), 0));
  const cells = ([name = '', ...values]: string[]) =>
    `<tr><td>${escaped(name)}</td>${values.map((value) => `<td class="n">${value}</td>`).join('')}</tr>`;
  return `<h2>CPU</h2><p>Cores that each kind of process used. The stack, its clients and the attackers share the cores of this machine.</p>
<div class="wide"><table class="latency"><thead><tr><th>process</th>${columns.map((name) => `<th class="n">${name}</th>`).join('')}</tr></thead><tbody>
${rows.map(cells).join('\n')}
${cells(['all', ...sums.map((sum) => sum.toFixed(2))])}</tbody></table></div>`;
}
