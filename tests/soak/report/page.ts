import type { Moment } from '../timeline.ts';
import { escaped, type Line, type Plot, svgOf } from './plot.ts';
import type { Result } from './result.ts';

/** Colours that colour-blind people can distinguish (Okabe and Ito). */
const colours = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#e69f00',
  '#56b4e9',
  '#8c6d31',
  '#666666',
  '#b8a500',
  '#222222',
];
const colour = (n: number) => colours[n % colours.length] ?? '#000';

/** Renders the report as one HTML page without other files. */
export function pageOf(result: Result): string {
  const { seed, clients, passed, startedAt, endedAt, faults, invariants, moments } = result;
  const requests = Object.values(result.statuses).reduce((sum, one) => sum + one, 0);
  const violations = invariants.reduce((sum, one) => sum + one.violations.length, 0);
  const figures = [
    [((endedAt - startedAt) / 60_000).toFixed(1), 'minutes'],
    [requests.toLocaleString('en'), 'requests'],
    [result.frames.toLocaleString('en'), `frames to ${clients} clients`],
    [result.connections.toLocaleString('en'), 'connections'],
    [result.deliveries.toLocaleString('en'), 'webhook attempts'],
    [String(faults.length), 'faults'],
  ].map(([figure, what]) => `<div><strong>${figure}</strong>${what}</div>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Soak ${seed}: ${passed ? 'passed' : 'failed'}</title>
<style>${style}</style></head><body>
<header><h1><span class="${passed ? 'ok' : 'bad'}">${passed ? '✓ passed' : `✗ ${violations} violations`}</span> Soak of the whole stack</h1>
<p>${new Date(startedAt).toISOString()} · seed <code>${seed}</code> · dashed vertical lines are faults</p><div class="figures">${figures.join('')}</div></header>
<section class="plots">${plotsOf(result).map(svgOf).join('')}</section>
<h2>Invariants</h2><table><thead><tr><th></th><th>Invariant</th><th class="n">checks</th><th class="n">violations</th></tr></thead><tbody>
${invariants.map(rowOf).join('\n')}</tbody></table>
<h2>Faults</h2><table><thead><tr><th class="n">time</th><th>fault</th><th class="n">recovered after</th></tr></thead><tbody>
${faults.map((one) => `<tr><td class="n">${clock(one.at - startedAt)}</td><td>${escaped(one.name)}${one.missed ? ` <small>${escaped(one.missed)}</small>` : ''}</td><td class="n">${one.recoveredAfterMs === null ? '✗ never' : `${(one.recoveredAfterMs / 1000).toFixed(1)} s`}</td></tr>`).join('\n')}</tbody></table>
<h2>Answers</h2><p>${Object.entries(result.statuses)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([status, times]) => `<code>${escaped(status)}</code> ${times.toLocaleString('en')}`)
    .join(' · ')}</p>
<p><small>${moments.length} samples. soak.json has the same numbers.</small></p></body></html>
`;
  function rowOf({ name, checked, violations: found }: Result['invariants'][number]): string {
    const items = found
      .slice(0, 10)
      .map(({ at, what }) => `<li>${clock(at - startedAt)} ${escaped(what)}</li>`)
      .join('');
    return `<tr><td class="${found.length > 0 ? 'bad' : 'ok'}">${found.length > 0 ? '✗' : '✓'}</td><td>${escaped(name)}${items ? `<ul>${items}</ul>` : ''}</td><td class="n">${checked.toLocaleString('en')}</td><td class="n">${found.length}</td></tr>`;
  }
}

const clock = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor((ms % 60_000) / 1000)).padStart(2, '0')}`;

function plotsOf({ moments, faults }: Result): Plot[] {
  const times = moments.map(({ at }) => at);
  const marks = faults.map(({ at, name }) => ({ at, name }));
  const plot = (title: string, unit: string, lines: [string, (one: Moment) => number | null][]): Plot => ({
    title,
    unit,
    times,
    marks,
    lines: lines.map(([name, value], n): Line => ({ name, colour: colour(n), values: moments.map(value) })),
  });
  const processes = [...new Set(moments.flatMap(({ memory }) => Object.keys(memory)))].sort();
  return [
    plot('Requests', 'a second', [
      ['all requests', ({ requests }) => requests],
      ['503, 502 or no answer', ({ unanswered }) => unanswered],
    ]),
    plot('Latency of REST and MCP', 'ms', [
      ['p99', ({ p99 }) => p99],
      ['p50', ({ p50 }) => p50],
    ]),
    plot('Stream frames, all clients', 'a second', [['frames', ({ frames }) => frames]]),
    plot('Stream clients', 'connected', [['clients', ({ connected }) => connected]]),
    plot('Lag from the venue message to a client', 'ms, median of the second', [['lag', ({ lag }) => lag]]),
    plot('Webhook attempts received', 'a second', [['attempts', ({ deliveries }) => deliveries]]),
    plot(
      'Memory of each process',
      'MB of anonymous memory',
      processes.map((name) => [name, ({ memory }) => memory[name] ?? null]),
    ),
  ];
}

const style = `body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1180px;padding:0 1rem;color:#1b1f24;background:#fff}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin-top:2rem}.ok{color:#00735a}.bad{color:#b3261e}small,header p{color:#59636e}
.figures{display:flex;flex-wrap:wrap;gap:2rem}.figures div{color:#59636e}.figures strong{display:block;font-size:1.5rem;color:#1b1f24;font-variant-numeric:tabular-nums}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:1rem 2rem;margin-top:1.5rem}
figure{margin:0}figcaption span{white-space:nowrap;margin-right:.7em;font-size:.85em}i{display:inline-block;width:.8em;height:.25em;margin-right:.35em;vertical-align:middle}
svg{width:100%;height:auto}svg text{font-size:11px;fill:#59636e}.grid{stroke:#d8dee4}.fault{stroke:#b3261e;stroke-dasharray:3 3;opacity:.55}
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d8dee4;vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}ul{margin:.2rem 0;padding-left:1.1rem;font-size:.9em;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}.figures strong{color:#e6edf3}.grid,td,th{stroke:#30363d;border-color:#30363d}.ok{color:#3fb98f}.bad{color:#ff7b72}small,header p,.figures div,svg text{color:#9198a1;fill:#9198a1}}`;
