import { type Inputs, rounded } from './inputs.ts';

type Carrier = 'functions/stream' | 'Centrifugo, PostgreSQL broker' | 'Centrifugo, Redis';

/** What a number of listeners needs. */
export type Layout = {
  listeners: number;
  carrier: Carrier;
  nodes: number;
  /** Of all nodes. */
  cores: number;
  /** Of one node. */
  memoryGb: number;
  gigabits: number;
  apiProcesses: number;
  databaseConnections: number;
  /** Of Postgres: all day, and while the clients of a dead node come back. */
  steadyTransactions: number;
  returnTransactions: number;
  egressTb: number;
  egressDollars: number;
  /** What is used up first, and how much of it is used with one node dead. */
  bottleneck: string;
};

/** The clients that one node, or one process of functions/stream, can serve, by what limits it. */
type Capacities = Readonly<Record<string, number>>;

export function layoutFor(listeners: number, inputs: Inputs): Layout {
  const value = (name: keyof Inputs) => inputs[name].value;
  const embedded: Capacities = {
    'the core of a process': (value('share') * 1e6) / (value('frames') * value('embeddedUs')),
    'the connections of a process': value('embeddedClients'),
  };
  const node: Capacities = {
    'the cores of a node': (value('share') * value('cores') * 1e6) / (value('frames') * value('nodeUs')),
    'the network of a node': (value('share') * value('gigabits') * 1e9) / (8_000 * value('kilobytes')),
    'the memory of a node':
      (value('share') * value('memoryGb') * 1024 * 1024 - value('nodeMb') * 1024) / value('nodeKb'),
    'the connections of a node': value('nodeClients'),
  };
  const carrier = carrierFor(listeners, embedded, node, value('postgresNodes'));
  const isEmbedded = carrier === 'functions/stream';
  const capacities = isEmbedded ? embedded : node;
  const nodes = isEmbedded ? 1 : nodesFor(listeners, node);
  // One node is dead.
  const eachNode = listeners / Math.max(1, nodes - 1);
  const returning = listeners / nodes / value('backSeconds');
  const renewals = isEmbedded ? 0 : listeners / value('renewSeconds');
  const apiCores = (returning * value('connectMs') + renewals * value('refreshMs')) / 1_000;
  const apiProcesses = Math.max(1, Math.ceil(apiCores / value('share')));
  const perConnect =
    carrier === 'Centrifugo, PostgreSQL broker' ? value('postgresTransactions') : value('redisTransactions');
  const perNode = {
    'functions/stream': 4,
    'Centrifugo, PostgreSQL broker': value('nodeConnections'),
    'Centrifugo, Redis': value('redisConnections'),
  };
  const databaseConnections = nodes * perNode[carrier] + apiProcesses * value('poolConnections');
  const returnTransactions = renewals + returning * perConnect;
  const used: Record<string, number> = {
    ...Object.fromEntries(Object.entries(capacities).map(([name, capacity]) => [name, eachNode / capacity])),
    'the connections of the database': databaseConnections / value('databaseConnections'),
    'the transactions of Postgres after a node died': returnTransactions / (value('share') * value('transactions')),
  };
  const [bottleneck, share] = Object.entries(used).reduce((most, one) => (one[1] > most[1] ? one : most));
  const egressGb = (listeners * value('kilobytes') * value('monthSeconds')) / 1e6;
  const us = value(isEmbedded ? 'embeddedUs' : 'nodeUs');
  return {
    listeners,
    carrier,
    nodes,
    cores: (listeners * value('frames') * us) / 1e6,
    memoryGb:
      (value(isEmbedded ? 'embeddedMb' : 'nodeMb') + (eachNode * value(isEmbedded ? 'embeddedKb' : 'nodeKb')) / 1024) /
      1024,
    gigabits: (listeners * value('kilobytes') * 8_000) / 1e9,
    apiProcesses,
    databaseConnections,
    steadyTransactions: renewals,
    returnTransactions,
    egressTb: egressGb / 1_000,
    egressDollars: egressGb * value('gigabyteDollars'),
    bottleneck: `${bottleneck}, ${Math.round(100 * share)}%`,
  };
}

function carrierFor(listeners: number, embedded: Capacities, node: Capacities, postgresNodes: number): Carrier {
  if (listeners <= Math.min(...Object.values(embedded))) return 'functions/stream';
  return nodesFor(listeners, node) <= postgresNodes ? 'Centrifugo, PostgreSQL broker' : 'Centrifugo, Redis';
}

/** One more than the clients need, for a dead one. */
const nodesFor = (listeners: number, node: Capacities) => Math.ceil(listeners / Math.min(...Object.values(node))) + 1;

const COLUMNS: readonly [string, (layout: Layout) => string][] = [
  ['listeners', ({ listeners }) => listeners.toLocaleString('en')],
  ['carrier', ({ carrier }) => carrier],
  ['nodes', ({ nodes }) => rounded(nodes)],
  ['cores in use', ({ cores }) => rounded(cores)],
  ['memory a node, GB', ({ memoryGb }) => rounded(memoryGb)],
  ['output, Gbit/s', ({ gigabits }) => rounded(gigabits)],
  ['processes of `functions/api`', ({ apiProcesses }) => rounded(apiProcesses)],
  ['database connections', ({ databaseConnections }) => rounded(databaseConnections)],
  ['transactions/s, steady', ({ steadyTransactions }) => rounded(steadyTransactions)],
  ['… after a node died', ({ returnTransactions }) => rounded(returnTransactions)],
  ['egress a month', ({ egressTb }) => (egressTb < 1 ? `${rounded(egressTb * 1_000)} GB` : `${rounded(egressTb)} TB`)],
  ['… at its price', ({ egressDollars }) => `$${rounded(egressDollars)}`],
  ['first bottleneck', ({ bottleneck }) => bottleneck],
];

export function renderLayouts(layouts: readonly Layout[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    row(COLUMNS.map(([title]) => title)),
    `|${COLUMNS.map(() => '---').join('|')}|`,
    ...layouts.map((layout) => row(COLUMNS.map(([, cell]) => cell(layout)))),
  ].join('\n');
}
