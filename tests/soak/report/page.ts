import type { Moment } from '../timeline.ts';
import type { WindowKind } from '../windows.ts';
import { renderAttackers, renderLatencies, renderTimeline } from './attacks.ts';
import { renderCpu } from './cpu.ts';
import { type Band, escaped, type Line, type Plot, svgOf } from './plot.ts';
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
  '#8a8f98',
  '#b8a500',
  '#a05195',
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
    [String(result.windows.filter(({ kind }) => kind === 'attack').length), 'attacks'],
    [String(faults.length), 'faults'],
  ].map(([figure, what]) => `<div><strong>${figure}</strong>${what}</div>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Soak ${seed}: ${passed ? 'passed' : 'failed'}</title>
<style>${style}</style></head><body>
<header><h1><span class="${passed ? 'ok' : 'bad'}">${passed ? '✓ passed' : `✗ ${violations} violations`}</span> Soak of the whole stack</h1>
<p>${new Date(startedAt).toISOString()} · seed <code>${seed}</code> · in the plots, coloured areas are attacks, grey ones the time of the faults, and dashed lines the faults</p><div class="figures">${figures.join('')}</div></header>
${renderTimeline(result)}
${renderLatencies(result)}
<section class="plots">${plotsOf(result).map(svgOf).join('')}</section>
${renderAttackers(result)}
${renderCpu(result)}
<h2>Invariants</h2><table><thead><tr><th></th><th>Invariant</th><th class="n">checks</th><th class="n">violations</th></tr></thead><tbody>
${invariants.map(rowOf).join('\n')}</tbody></table>
${
  faults.length === 0
    ? ''
    : `<h2>Faults</h2><table><thead><tr><th class="n">time</th><th>fault</th><th class="n">recovered after</th></tr></thead><tbody>
${faults.map((one) => `<tr><td class="n">${clock(one.at - startedAt)}</td><td>${escaped(one.name)}${one.missed ? ` <small>${escaped(one.missed)}</small>` : ''}</td><td class="n">${one.recoveredAfterMs === null ? '✗ never' : `${(one.recoveredAfterMs / 1000).toFixed(1)} s`}</td></tr>`).join('\n')}</tbody></table>`
}
<h2>Answers to the callers that are not measured</h2><p>${Object.entries(result.statuses)
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

const BAND_STYLES: Partial<Record<WindowKind, string>> = { attack: 'attack', after: 'after', faults: 'faults' };

function plotsOf({ moments, faults, windows }: Result): Plot[] {
  const times = moments.map(({ at }) => at);
  const marks = faults.map(({ at, name }) => ({ at, name }));
  const bands = windows.flatMap(({ kind, attack, from, to }): Band[] => {
    const style = BAND_STYLES[kind];
    return style === undefined ? [] : [{ from, to, style, name: attack ? `${kind} ${attack}` : kind }];
  });
  const plot = (title: string, unit: string, lines: [string, (one: Moment) => number | null][]): Plot => ({
    title,
    unit,
    times,
    marks,
    bands,
    lines: lines.map(([name, value], n): Line => ({ name, colour: colour(n), values: moments.map(value) })),
  });
  const named = (of: (one: Moment) => Record<string, number>): [string, (one: Moment) => number | null][] =>
    [...new Set(moments.flatMap((one) => Object.keys(of(one))))]
      .sort()
      .map((name) => [name, (one) => of(one)[name] ?? null]);
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
      'Open sockets of the processes that strangers reach',
      'count',
      named(({ sockets }) => sockets),
    ),
    plot(
      'Memory of each process',
      'MB of anonymous memory',
      named(({ memory }) => memory),
    ),
  ];
}

const style = `:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d8dee4;--page:#fff;--ok:#00735a;--bad:#b3261e;--quiet:#dce9f5;--attack:#e8590c;--faults:#8a8f98}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#30363d;--page:#0d1117;--ok:#3fb98f;--bad:#ff7b72;--quiet:#16324d;--attack:#ff922b}}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:1180px;padding:0 1rem;color:var(--ink);background:var(--page)}
h1{font-size:1.5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}h2+p{margin-top:0;color:var(--soft)}.ok{color:var(--ok)}.bad{color:var(--bad)}small,header p{color:var(--soft)}
.figures{display:flex;flex-wrap:wrap;gap:1rem 2rem}.figures div{color:var(--soft)}.figures strong{display:block;font-size:1.5rem;color:var(--ink);font-variant-numeric:tabular-nums}
.strip{display:flex;margin-top:1.5rem;border-radius:4px;overflow:hidden;font-size:.68rem;line-height:1.9rem}.strip span{flex:none;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;text-align:center;box-shadow:inset 1px 0 var(--page)}
.strip .quiet{background:var(--quiet)}.strip .attack{background:color-mix(in srgb,var(--attack) 45%,var(--page));font-weight:600}.strip .after{background:color-mix(in srgb,var(--attack) 18%,var(--page))}.strip .faults{background:color-mix(in srgb,var(--faults) 35%,var(--page))}.strip .warm-up{background:var(--line)}
rect.attack{fill:var(--attack);opacity:.16}rect.after{fill:var(--attack);opacity:.06}rect.faults{fill:var(--faults);opacity:.14}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,480px),1fr));gap:1rem 2rem;margin-top:1.5rem}
figure{margin:0}figcaption span{white-space:nowrap;margin-right:.7em;font-size:.85em}i{display:inline-block;width:.8em;height:.25em;margin-right:.35em;vertical-align:middle}
svg{width:100%;height:auto}svg text{font-size:11px;fill:var(--soft)}.grid{stroke:var(--line)}.fault{stroke:var(--bad);stroke-dasharray:3 3;opacity:.55}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}.n{text-align:right;font-variant-numeric:tabular-nums}ul{margin:.2rem 0;padding-left:1.1rem;font-size:.9em;overflow-wrap:anywhere}
.latency{font-size:.86rem}.latency td,.latency th{padding:.3rem .35rem}.latency td:first-child{white-space:nowrap}.latency .n{white-space:nowrap}.latency .n small{display:block;line-height:1.1}.ratio{position:relative;width:4rem;height:.35rem;margin:.35rem 0 0 auto;background:var(--line);border-radius:2px}.ratio div{height:100%;background:var(--ok);border-radius:2px}.ratio .over{background:var(--bad)}.ratio::after{content:"";position:absolute;left:50%;top:-.15rem;height:.65rem;border-left:1px solid var(--ink)}
.counts{columns:2;list-style:none;padding:0;color:var(--soft)}.counts b{color:var(--ink);font-variant-numeric:tabular-nums}
@media(max-width:700px){.counts{columns:1}}`;
