import { type LatencyFigure, LOOSE_BOUNDS, type Percentiles, STRICT_BOUNDS } from '../check/latency.ts';
import type { AttackKind, WindowMark } from '../windows.ts';
import { escaped } from './plot.ts';
import type { Result } from './result.ts';

/** What each attack is, for a reader who has not read docs/soak.md. */
const DESCRIPTIONS: Record<AttackKind, string> = {
  stream:
    'Strangers at the stream: 20 sockets that announce 62 MB and send 55 MB of them, 300 idle sockets that answer no close frame, 20 connections a second with tickets that were never minted.',
  rest: 'Strangers at REST: 300 connections that send at once, each request with a new well-formed key.',
  mcp: 'One Free key that calls watch_markets 120 times at once, again and again.',
  venue:
    'A hostile venue: every 4 s a redirect, 10 MB of brackets, a body without end, or a socket frame of 32 MB. Its other answers go on.',
  receivers:
    'Three receivers of another organization that hang or drip, with 1,200 deliveries each at once and two a second more.',
  all: 'All of them at once.',
};

/** A strip of the run: quiet windows, attacks and faults to scale. */
export function renderTimeline({ windows, startedAt, endedAt }: Result): string {
  const total = Math.max(1, (windows.at(-1)?.to ?? endedAt) - startedAt);
  const parts = windows.map((one) => {
    const share = ((100 * (one.to - one.from)) / total).toFixed(3);
    const minutes = ((one.from - startedAt) / 60_000).toFixed(1);
    return `<span class="${one.kind}" style="width:${share}%" title="${nameOf(one)}, from minute ${minutes}, ${Math.round((one.to - one.from) / 1000)} s">${one.kind === 'after' || one.kind === 'warm-up' ? '' : nameOf(one)}</span>`;
  });
  return `<div class="strip" role="img" aria-label="The windows of the run">${parts.join('')}</div>`;
}

const nameOf = ({ kind, attack }: WindowMark): string =>
  kind === 'attack' ? (attack ?? kind) : kind === 'after' ? `after ${attack}` : kind;

/** The table of latencies: quiet, under attack, and under each attack. */
export function renderLatencies({ figures, isStrict }: Result): string {
  if (figures.length === 0) return '';
  const bounds = isStrict ? STRICT_BOUNDS : LOOSE_BOUNDS;
  const kinds = [...new Set(figures.flatMap(({ byAttack }) => Object.keys(byAttack)))] as AttackKind[];
  const bound = isStrict
    ? `The bound is ${bounds.ratio} × the quiet p99, with at least ${bounds.minSamples.toLocaleString('en')} answers on each side.`
    : `This run is short. Its bound is ${bounds.ratio} × the quiet p99 or ${bounds.floorMs / 1000} s; 2 × applies from 25 minutes on.`;
  const head = ['quiet', 'under attack', '×', ...kinds];
  return `<h2>Paying clients, quiet and under attack</h2>
<p>Requests at a fixed rate, never retried, in the quiet windows and in the attacks of this run. p50 and p99 in ms, n below. ${bound}</p>
<div class="wide"><table class="latency"><thead><tr><th>what</th>${head.map((name) => `<th class="n">${name}</th>`).join('')}</tr></thead><tbody>
${figures.map((one) => rowOf(one, kinds, bounds.ratio)).join('\n')}</tbody></table></div>`;
}

function rowOf(
  { name, isJudged, quiet, attacked, byAttack }: LatencyFigure,
  kinds: AttackKind[],
  limit: number,
): string {
  const ratio = attacked.p99 / quiet.p99;
  const isOver = isJudged && ratio > limit;
  const each = kinds.map((kind) => {
    const one = byAttack[kind];
    return cellOf(one, isJudged && one !== undefined && one.p99 > limit * quiet.p99);
  });
  return `<tr><td>${escaped(name)}${isJudged ? '' : ' <small>no bound</small>'}</td>${cellOf(quiet, false)}${cellOf(attacked, isOver)}<td class="n ${isOver ? 'bad' : ''}">${Number.isFinite(ratio) ? ratio.toFixed(1) : '–'}${ratioBar(ratio, limit)}</td>${each.join('')}</tr>`;
}

/** The ratio as a bar. The line in its middle is the bound. */
function ratioBar(ratio: number, limit: number): string {
  const width = Math.min(100, (50 * (Number.isFinite(ratio) ? ratio : 0)) / limit).toFixed(0);
  return `<div class="ratio"><div style="width:${width}%" class="${ratio > limit ? 'over' : ''}"></div></div>`;
}

function cellOf(one: Percentiles | undefined, isOver: boolean): string {
  if (!one || one.n === 0) return '<td class="n">–</td>';
  return `<td class="n"><span class="${isOver ? 'bad' : ''}">${milliseconds(one.p50)} · <b>${milliseconds(one.p99)}</b></span><small>${one.n.toLocaleString('en')}</small></td>`;
}

const milliseconds = (value: number): string =>
  value < 9.95 ? value.toFixed(1) : Math.round(value).toLocaleString('en');

/** What the attackers did and which answers they got. */
export function renderAttackers({ attackers, windows }: Result): string {
  const kinds = new Set([
    ...windows.flatMap(({ attack }) => attack ?? []),
    ...(Object.keys(attackers) as AttackKind[]),
  ]);
  if (kinds.size === 0) return '';
  const rows = [...kinds].map((kind) => {
    const counts = Object.entries(attackers[kind] ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
    const items = counts.map(([what, n]) => `<li>${escaped(what)} <b>${Math.round(n).toLocaleString('en')}</b></li>`);
    const seconds = windows
      .filter((one) => one.kind === 'attack' && one.attack === kind)
      .reduce((sum, one) => sum + (one.to - one.from) / 1000, 0);
    return `<tr><td>${kind}</td><td>${DESCRIPTIONS[kind]}<ul class="counts">${items.join('')}</ul></td><td class="n">${seconds === 0 ? '–' : `${seconds.toFixed(0)} s`}</td></tr>`;
  });
  return `<h2>Attackers</h2><p>Each runs in a process of its own with the lowest priority (<code>nice 19</code>), because two cores carry the stack, its paying clients and the attackers. Each has loopback addresses of its own. The counts are what they did and which answers they got, alone and in “all”.</p>
<table><thead><tr><th>attack</th><th>what it does, and the answers</th><th class="n">windows</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}
