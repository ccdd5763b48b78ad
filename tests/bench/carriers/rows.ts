import { availableParallelism } from 'node:os';
import type { Broker } from '../../../local/platform/carrier/config.ts';
import { type ResultRow, toResultRow } from '../result_row.ts';
import type { BrokerResult } from './brokers.ts';
import { type FanoutName, type FanoutOptions, type FanoutResult, fanoutNames } from './fanout.ts';
import { type LatencyName, type LatencyResult, type LatencyResults, latencyNames } from './latency.ts';
import type { StormOptions, StormResult } from './storm.ts';

const TITLES: Record<FanoutName, string> = {
  bare: 'the bare loop',
  bare16: 'the bare loop with messages of 16',
  embedded: 'functions/stream',
  oneNode: 'one node',
  twoNodes: 'two nodes',
};
const whole = (value: number) => Math.round(value).toLocaleString('en');

/** Lines about the time of a round, and about the CPU of the servers in it. */
export function fanoutRows(results: Record<FanoutName, FanoutResult>, { clients, frames }: FanoutOptions): ResultRow[] {
  const deliveries = clients * frames;
  const { bare, embedded, oneNode, twoNodes } = results;
  const cpuUs = (ms: number) => (1_000 * ms) / deliveries;
  const wall = fanoutNames.map((name) => `${TITLES[name]} ${whole(deliveries / results[name].wallMs)}k/s`).join(', ');
  const cpu = fanoutNames.map((name) => `${TITLES[name]} ${cpuUs(results[name].serverCpuMs).toFixed(2)} us`).join(', ');
  const clientCpu = fanoutNames.map((name) => `${cpuUs(results[name].clientCpuMs).toFixed(2)}`).join(' / ');
  const coresForTwice = twoNodes.serverCpuMs / bare.serverCpuMs;
  const figures = Object.fromEntries(
    fanoutNames.flatMap((name) => [
      [`fanout.${name}.perSecond`, (1_000 * deliveries) / results[name].wallMs],
      [`fanout.${name}.serverCpuUs`, cpuUs(results[name].serverCpuMs)],
      [`fanout.${name}.clientCpuUs`, cpuUs(results[name].clientCpuMs)],
    ]),
  );
  const title = `carriers, fan-out to ${clients.toLocaleString('en')} clients`;
  return [
    toResultRow({
      name: `${title}: functions/stream, wall time`,
      ratio: bare.wallMs / embedded.wallMs,
      target: 0.9,
      better: 'higher',
      detail: `publications to a client: ${wall}`,
      figures,
    }),
    toResultRow({
      name: `${title}: two nodes, wall time`,
      ratio: bare.wallMs / twoNodes.wallMs,
      target: 2,
      better: 'higher',
      detail: `servers and clients share ${availableParallelism()} cores; CPU of the clients ${clientCpu} us a publication`,
    }),
    toResultRow({
      name: `${title}: two nodes with a core each, by CPU of the servers`,
      ratio: (2 * bare.serverCpuMs) / twoNodes.serverCpuMs,
      target: 2,
      better: 'higher',
      detail: `${cpu}; twice the bare loop takes two nodes with ${coresForTwice.toFixed(1)} cores each`,
    }),
    toResultRow({
      name: `${title}: CPU of two nodes by that of one`,
      ratio: twoNodes.serverCpuMs / oneNode.serverCpuMs,
      target: 1.2,
      better: 'lower',
      detail: 'above 1: what a node costs by itself',
    }),
  ];
}

/** What a connection adds. The line of Centrifugo is by that of functions/stream. */
export function memoryRow(results: Record<FanoutName, FanoutResult>, clients: number): ResultRow {
  const kb = (name: FanoutName) => (1_024 * (results[name].connectedMb - results[name].emptyMb)) / clients;
  const names = ['bare', 'embedded', 'oneNode', 'twoNodes'] as const;
  return toResultRow({
    name: `carriers, memory of a connection, ${clients.toLocaleString('en')} clients: one node by functions/stream`,
    ratio: kb('oneNode') / kb('embedded'),
    target: 2,
    better: 'lower',
    detail: names
      .map((name) => `${TITLES[name]} ${kb(name).toFixed(0)} KB (${whole(results[name].emptyMb)} MB without clients)`)
      .join(', '),
    figures: Object.fromEntries(
      names.flatMap((name) => [
        [`memory.${name}.connectionKb`, kb(name)],
        [`memory.${name}.emptyMb`, results[name].emptyMb],
      ]),
    ),
  });
}

/** The targets are those of stream_latency.ts. */
export function latencyRows(results: LatencyResults): ResultRow[] {
  const names = latencyNames.filter((name) => name !== 'bare');
  const idle = latencyNames.map((name) => `${TITLES[name]} ${results[name].idle.serverMs.toFixed(1)} ms`).join(', ');
  return results.bare.byRate.flatMap(({ rate }, n) => {
    const of = (name: LatencyName) => results[name].byRate[n] as LatencyResult;
    const times = latencyNames
      .map((name) => `${TITLES[name]} ${of(name).p50.toFixed(1)} / ${of(name).p99.toFixed(1)} ms`)
      .join(', ');
    const cpu = latencyNames.map((name) => `${TITLES[name]} ${of(name).deliveryCpuUs.toFixed(1)} us`).join(', ');
    const postgres = names.map((name) => `${TITLES[name]} ${whole(of(name).postgresCpuUs)} us`).join(', ');
    const figures = latencyNames.flatMap((name) => [
      [`latency.${rate}.${name}.p50`, of(name).p50],
      [`latency.${rate}.${name}.p99`, of(name).p99],
      [`latency.${rate}.${name}.deliveryCpuUs`, of(name).deliveryCpuUs],
      [`latency.${rate}.${name}.postgresCpuUs`, of(name).postgresCpuUs],
      [`idle.${name}.serverMs`, results[name].idle.serverMs],
      [`idle.${name}.postgresMs`, results[name].idle.postgresMs],
    ]);
    const row = (name: string, ratio: number, detail: string): ResultRow =>
      toResultRow({
        name: `carriers, commit to client at ${rate.toLocaleString('en')}/s: ${name}`,
        ratio,
        target: 1,
        better: 'lower',
        detail,
        figures: Object.fromEntries(figures),
      });
    return [
      row('two nodes, p50 of 100 ms', of('twoNodes').p50 / 100, `p50 / p99: ${times}`),
      row(
        'two nodes, p99 of 250 ms',
        of('twoNodes').p99 / 250,
        `CPU a publication and client: ${cpu}; without publications, in a second: ${idle}; CPU of Postgres a publication: ${postgres}`,
      ),
    ];
  });
}

/** The target is the rate at which docs/scale.md counts a busy day. */
export function brokerRow(broker: Broker, result: BrokerResult, frames: number): ResultRow {
  return toResultRow({
    name: `carriers, ${broker} broker, ${frames.toLocaleString('en')} publications, of 1,000 a second`,
    ratio: result.deliveredPerSecond / 1_000,
    target: 1,
    better: 'higher',
    detail: `the relay ${whole(result.relayPerSecond)}/s, until a client has the last ${whole(result.deliveredPerSecond)}/s`,
    figures: {
      [`broker.${broker}.relayPerSecond`]: result.relayPerSecond,
      [`broker.${broker}.deliveredPerSecond`]: result.deliveredPerSecond,
    },
  });
}

/** A ticket is a transaction, and the question of the node another. */
const TRANSACTIONS_OF_A_CONNECT = 2;

export function stormRows(broker: Broker, { tier }: StormOptions, result: StormResult): ResultRow[] {
  const key = `storm.${broker}.${tier}`;
  const { seconds } = result;
  const refused = Object.entries(result.refused).map(([status, count]) => `, ${count} tickets refused with ${status}`);
  return [
    toResultRow({
      name: `carriers, storm, ${broker} broker, ${result.channels} channels: transactions a connection, of ${TRANSACTIONS_OF_A_CONNECT}`,
      ratio: result.transactionsPerConnect / TRANSACTIONS_OF_A_CONNECT,
      target: 1.1,
      better: 'lower',
      detail: `${result.transactionsPerConnect.toFixed(2)}: a ticket, a connect; the broker was asked ${result.positionsPerConnect.toFixed(2)} times for a position and ${result.recoveriesPerConnect.toFixed(2)} times for frames`,
      figures: Object.fromEntries(
        Object.entries(result)
          .filter(([, value]) => typeof value === 'number')
          .map(([name, value]) => [`${key}.${name}`, value as number]),
      ),
    }),
    toResultRow({
      name: `carriers, storm, ${broker} broker, ${result.channels} channels: ${result.clients.toLocaleString('en')} clients recovered`,
      ratio: result.recovered / result.clients,
      target: 1,
      better: 'higher',
      detail: `${whole(result.connectsPerSecond)} connects/s; half after ${seconds.half.toFixed(1)} s, 90% ${seconds.most.toFixed(1)} s, all ${seconds.all.toFixed(1)} s; CPU a connect: node ${result.nodeCpuMs.toFixed(2)} ms, functions/api ${result.apiCpuMs.toFixed(2)} ms; memory ${result.connectionKb.toFixed(0)} KB; ${whole(result.refreshesPerSecond)} renewals/s at ${result.refreshApiCpuMs.toFixed(2)} ms of functions/api${refused.join('')}`,
    }),
  ];
}
