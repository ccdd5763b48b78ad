/** A figure that docs/scale.md computes with. */
export type Input = {
  label: string;
  value: number;
  unit: string;
  /** Where it comes from, in Markdown. */
  source: string;
};

const CARRIERS = '[2026-11-27](measurements/2026-11-27-carriers.md)';
const CAPACITY = '[2026-11-20](measurements/2026-11-20-capacity.md)';
const BENCH = '[2026-11-24](measurements/2026-11-24-bench.md)';
const CHOSEN = 'chosen';

/** The inputs by name. @throws Error where the measurement lacks a figure */
export function inputsOf(figures: Readonly<Record<string, number>>) {
  const measured = (name: string, label: string, unit: string): Input => {
    const value = figures[name];
    if (value === undefined || !Number.isFinite(value)) throw new Error(`The measurement has no figure ${name}.`);
    return { label, value, unit, source: CARRIERS };
  };
  const given = (value: number, label: string, unit: string, source: string): Input => ({ label, value, unit, source });
  return {
    frames: given(21, 'frames to a client of plan Pro', 'a second', CAPACITY),
    kilobytes: given(13.5, 'bytes to a client of plan Pro', 'KB a second', CAPACITY),
    embeddedUs: measured('latency.20.embedded.deliveryCpuUs', 'CPU of `functions/stream` a frame and client', 'us'),
    nodeUs: measured('latency.20.oneNode.deliveryCpuUs', 'CPU of a node a frame and client', 'us'),
    embeddedKb: measured('memory.embedded.connectionKb', 'memory of a connection, `functions/stream`', 'KB'),
    nodeKb: measured('storm.postgres.basic.connectionKb', 'memory of a connection, a node', 'KB'),
    embeddedMb: measured('memory.embedded.emptyMb', 'memory of `functions/stream` without clients', 'MB'),
    nodeMb: measured('memory.oneNode.emptyMb', 'memory of a node without clients', 'MB'),
    connectMs: measured('storm.postgres.basic.apiCpuMs', 'CPU of `functions/api` a connection, with its ticket', 'ms'),
    refreshMs: measured('storm.postgres.basic.refreshApiCpuMs', 'CPU of `functions/api` a renewal', 'ms'),
    postgresTransactions: measured(
      'storm.postgres.pro.transactionsPerConnect',
      'transactions a connection of plan Pro, PostgreSQL broker, with repeated tickets',
      '',
    ),
    redisTransactions: measured(
      'storm.redis.pro.transactionsPerConnect',
      'transactions a connection of plan Pro, Redis, with repeated tickets',
      '',
    ),
    renewSeconds: given(300, 'time between two renewals of a connection', 's', '`stream.settings.carried_for`'),
    transactions: given(8_000, 'transactions of Postgres, two cores', 'a second', BENCH),
    embeddedClients: given(5_000, 'clients of a process of `functions/stream`', '', '`STREAM_MOST_CONNECTIONS`'),
    nodeClients: given(50_000, 'clients of a node', '', '`client.connection_limit`'),
    nodeConnections: given(
      15,
      'database connections of a node, PostgreSQL broker',
      '',
      '[centrifugo.md](centrifugo.md)',
    ),
    redisConnections: given(3, 'database connections of a node, Redis', '', 'queue 3'),
    poolConnections: given(4, 'database connections of a process of ours', '', '`DB_CONNECTIONS_…`'),
    databaseConnections: given(160, 'database connections of compute size Large', '', CAPACITY),
    postgresNodes: given(10, 'nodes up to which the PostgreSQL broker is used', '', CHOSEN),
    cores: given(4, 'cores of the machine of a node', '', CHOSEN),
    memoryGb: given(8, 'memory of the machine of a node', 'GB', CHOSEN),
    gigabits: given(2, 'network of the machine of a node', 'Gbit a second', CHOSEN),
    share: given(0.5, 'share of a machine that clients may use', '', CHOSEN),
    backSeconds: given(60, 'time in which the clients of a dead node are back', 's', CHOSEN),
    monthSeconds: given(2.63e6, 'seconds of a month', '', CAPACITY),
    gigabyteDollars: given(0.09, 'a GB of egress', 'USD', CAPACITY),
  };
}
export type Inputs = ReturnType<typeof inputsOf>;

export function renderInputs(inputs: Inputs): string {
  const lines = Object.values(inputs).map(
    ({ label, value, unit, source }) => `| ${label} | ${rounded(value)}${unit && ` ${unit}`} | ${source} |`,
  );
  return ['| input | value | source |', '|---|---|---|', ...lines].join('\n');
}

/** Three digits. */
export const rounded = (value: number): string => Number(value.toPrecision(3)).toLocaleString('en');
