import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { errorText } from '../user_error.ts';
import type { CentrifugoBinary } from './binary.ts';
import {
  type CarrierNode,
  type ClusterSettings,
  type ConfigOptions,
  centrifugoConfig,
  nodeEnvironment,
  nodeOptions,
} from './config.ts';

/** Writes the configuration of the nodes into `folder`, and returns the path of the file. */
export function writeConfig(folder: string, options: ConfigOptions): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'config.json');
  writeFileSync(file, `${JSON.stringify(centrifugoConfig(options), null, 2)}\n`, { mode: 0o600 });
  return file;
}

export type NodeProcess = {
  binary: CentrifugoBinary;
  /** A file in a folder of its own: Centrifugo reads a file `.env` of its working folder. */
  configFile: string;
  node: CarrierNode;
  cluster: ClusterSettings;
};

/** Starts a node as the leader of its own process group. Its output goes to `output`. */
export function spawnNode(
  { binary, configFile, node, cluster }: NodeProcess,
  output: number | 'pipe' | 'ignore',
): ChildProcess {
  return spawn(binary.path, ['--config', configFile, ...nodeOptions(node)], {
    cwd: join(configFile, '..'),
    detached: true,
    stdio: ['ignore', output, output],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', ...nodeEnvironment(node, cluster) },
  });
}

/**
 * Resolves when the node listens on both ports. Throws when `child` ends first, or after `seconds`.
 */
export async function untilNodeServes(child: ChildProcess, node: CarrierNode, seconds = 30): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const state = await nodeState(node);
    if (state === '') return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`Centrifugo ended during its start (${child.signalCode ?? `exit ${child.exitCode}`})`);
    if (Date.now() > end) throw new Error(`Centrifugo did not answer within ${seconds} s: ${state}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Empty where the node serves, else what is wrong. */
async function nodeState({ internalPort, wsPort }: CarrierNode): Promise<string> {
  const health = await fetch(`http://127.0.0.1:${internalPort}/health`, { signal: AbortSignal.timeout(2_000) }).then(
    (answer) => (answer.ok ? '' : `HTTP ${answer.status}`),
    errorText,
  );
  return health === '' && !(await accepts(wsPort)) ? `nothing listens on port ${wsPort}` : health;
}

/** Whether a process accepts connections on that port of loopback. */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
