// npm run why -- WHAT [--port N] [--data DIR] [--json]: explains a listing of the running stack,
// and why it is paired or not.
import { parseArgs } from 'node:util';
import postgres from 'postgres';
import { afterGatesText } from '../../dashboard/src/live/after_gates_text.ts';
import type { MarketExplanation as Signal } from '../../dashboard/src/live/frames.ts';
import { gateNames, reasonText } from '../../dashboard/src/live/reason_text.ts';
import type { Output } from '../command.ts';
import { stackAt } from '../platform/supervisor/find_stack.ts';

const usage = `npm run why -- WHAT [options]

Which event and series a listing belongs to, what was read of it or why no parser read it, which pair it is in with every signal, risk and gate, what was refused after the gates, and
which look-alikes were refused.
  WHAT          a market id (mkt_...), ticker, event ticker, series, slug, condition id or token id
  --json        everything, as JSON
  --port N      the stack at that port
  --data DIR    the stack on that data folder (default: the one at --port, else .data)`;

type CodeWithReason = { code: string; because: string };
type Counts = { [code: string]: number };
type Explanation = {
  about: string;
  code: string;
  because: string;
  questions: {
    question_id: string;
    family: string;
    title: string;
    key: string;
    excluded: string | null;
    excluded_because: string | null;
    unmatched: string | null;
    unmatched_because: string | null;
  }[];
  pairs: {
    id: string;
    title: string;
    market_type: string;
    stage: string;
    band: string;
    status: string;
    withdrawn_code: string | null;
    /** What an operator may confirm (npm run review). */
    review: string | null;
    confidence: { entity: number; resolution: number };
    signals: { signal: string; state: string; about: string; weight: number; why?: string }[];
    risks: { event: string; severity: string; note: string }[];
    gates: Signal['gates'];
    after: Signal['after'];
  }[];
  rejections: (CodeWithReason & { question_a: string; question_b: string })[];
  rejected_rows: (CodeWithReason & { kind: string; native_id: string })[];
  events: {
    venue: string;
    event: string;
    series: string | null;
    title: string;
    markets: Counts;
    questions: number;
    unread: string | null;
    unread_because: string | null;
  }[];
  series: { venue: string; series: string; title: string | null; events: number; unread: Counts }[];
};

/** All four gates, then the decisions after them. */
function gateLines({ gates, after }: Explanation['pairs'][number]): string[] {
  const closed = gates.filter((gate) => !gate.open).length;
  const { opportunity } = after;
  return [
    `  ${closed === 0 ? 'all four gates are open' : `not an arb: ${closed} of 4 gates ${closed === 1 ? 'is' : 'are'} closed`}`,
    ...gates.map((gate) =>
      gate.open
        ? `  gate ${gate.gate}: open`
        : `  gate ${gate.gate}: closed, ${gate.reason} (${gateNames[gate.gate]}: ${reasonText(gate.reason)})`,
    ),
    ...(after.code === null ? [] : [`  after the gates: ${after.code} (${afterGatesText(after.code)})`]),
    ...(opportunity === null
      ? []
      : [
          `  ${opportunity.id} opened ${opportunity.opened_at}${opportunity.closed_at === null ? '' : `, closed ${opportunity.closed_at}: ${opportunity.reason}`}`,
        ]),
    ...after.refused.map(
      (one) =>
        `  rejected ${one.reason}${one.about === null ? '' : ` at ${one.about}`}, ${one.times} times, last ${one.last_at}${one.is_current ? ', still current' : ''}`,
    ),
  ];
}

function pairLines(pair: Explanation['pairs'][number]): string[] {
  const { entity, resolution } = pair.confidence;
  return [
    `${pair.id}  ${pair.title}`,
    `  ${pair.market_type}, ${pair.stage}, band ${pair.band}, ${pair.status}; entity ${entity}, resolution ${resolution}${pair.withdrawn_code === null ? '' : `; withdrawn: ${pair.withdrawn_code}`}`,
    ...(pair.review === null ? [] : [`  waits for review: npm run review -- ${pair.review}`]),
    ...gateLines(pair),
    ...pair.signals
      .filter((one) => one.weight > 0)
      .map((one) => `  - ${one.weight} ${one.about}: ${one.signal} ${one.state}${one.why ? ` (${one.why})` : ''}`),
    ...pair.risks.map((risk) => `  ${risk.severity} ${risk.event}: ${risk.note}`),
  ];
}

const countsText = (counts: Counts): string =>
  Object.entries(counts)
    .map(([name, many]) => `${many} ${name}`)
    .join(', ');

function eventLines(event: Explanation['events'][number]): string[] {
  const series = event.series === null ? 'no series' : `series ${event.series}`;
  const questions = `${event.questions} ${event.questions === 1 ? 'question' : 'questions'}`;
  return [
    `${event.venue} event ${event.event}  ${event.title}`,
    `  ${series}; markets: ${countsText(event.markets) || 'none'}; ${questions}`,
    ...(event.unread === null ? [] : [`  no question: ${event.unread} (${event.unread_because})`]),
  ];
}

function seriesLines(series: Explanation['series'][number]): string[] {
  const unread = countsText(series.unread);
  return [
    `${series.venue} series ${series.series}  ${series.title ?? ''}`.trimEnd(),
    `  ${series.events} ${series.events === 1 ? 'event' : 'events'} stored${unread === '' ? '' : `; without a question: ${unread}`}`,
  ];
}

function describe(known: Explanation): string {
  return [
    `${known.about}${known.code === 'unlisted' ? ' is unknown' : ''}: ${known.code} (${known.because})`,
    ...known.series.flatMap(seriesLines),
    ...known.events.flatMap(eventLines),
    ...known.questions.flatMap((one) => [
      `${one.question_id}  ${one.title}`,
      `  ${one.key}`,
      ...(one.excluded === null ? [] : [`  excluded: ${one.excluded} (${one.excluded_because})`]),
      ...(one.unmatched === null || one.excluded !== null
        ? []
        : [`  no pair: ${one.unmatched} (${one.unmatched_because})`]),
    ]),
    ...known.pairs.flatMap(pairLines),
    ...known.rejections.map((one) => `rejected ${one.question_a} x ${one.question_b}: ${one.code} (${one.because})`),
    ...known.rejected_rows.map((one) => `rejected row ${one.kind} ${one.native_id}: ${one.code} (${one.because})`),
  ].join('\n');
}

export async function main(args: readonly string[], output: Output): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      port: { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const [what] = positionals;
  if (values.help || what === undefined || positionals.length > 1) {
    output.log(usage);
    return values.help ? 0 : 2;
  }
  const sql = postgres(stackAt(values).database_url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql<{ why: Explanation }[]>`select ops.explain(${what}) as why`;
    if (!row) throw new Error('ops.explain returned nothing');
    output.log(values.json ? JSON.stringify(row.why, null, 1) : describe(row.why));
    return 0;
  } finally {
    await sql.end();
  }
}
