import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';

/** A machine of its own in the network: a namespace with one cable to the switch. */
export type Machine = {
  name: string;
  address: string;
  /** The command that starts the command after it on this machine. */
  within: readonly string[];
  /** The switch drops every packet from and to this machine. Neither side gets an error. */
  cut(): void;
  heal(): void;
};

/**
 * A switch that joins this host and machines, each in a network namespace (Linux, as root, with
 * iproute2). The names and addresses are random, so that several may exist at once.
 */
export class Network {
  /** The address of this host. */
  readonly address: string;
  readonly #bridge: string;
  readonly #subnet: string;
  readonly #namespaces: string[] = [];

  constructor() {
    this.#bridge = `plx${randomBytes(3).toString('hex')}`;
    this.#subnet = `10.${randomInt(200, 255)}.${randomInt(1, 255)}`;
    this.address = `${this.#subnet}.1`;
    ip('link', 'add', this.#bridge, 'type', 'bridge');
    ip('address', 'add', `${this.address}/24`, 'dev', this.#bridge);
    ip('link', 'set', this.#bridge, 'up');
  }

  /** Whether this process may create one. Prints that `file` is skipped where it may not. */
  static isPossible(file: string): boolean {
    let network: Network | undefined;
    try {
      network = new Network();
      network.addMachine('probe').heal();
      return true;
    } catch (error) {
      console.warn(`${file} is skipped: no network namespaces (${error instanceof Error ? error.message : error})`);
      return false;
    } finally {
      network?.close();
    }
  }

  addMachine(name: string): Machine {
    const number = this.#namespaces.length + 10;
    const namespace = `${this.#bridge}n${number}`;
    const cable = `${this.#bridge}p${number}`;
    const address = `${this.#subnet}.${number}`;
    ip('netns', 'add', namespace);
    this.#namespaces.push(namespace);
    ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
    ip('link', 'set', cable, 'master', this.#bridge, 'up');
    ip('-n', namespace, 'address', 'add', `${address}/24`, 'dev', 'eth0');
    ip('-n', namespace, 'link', 'set', 'lo', 'up');
    ip('-n', namespace, 'link', 'set', 'eth0', 'up');
    // A port that is disabled drops what arrives and sends nothing. The cable stays plugged in, so
    // no side gets an error.
    const setPort = (state: number): void => run('bridge', ['link', 'set', 'dev', cable, 'state', String(state)]);
    return {
      name,
      address,
      within: ['ip', 'netns', 'exec', namespace],
      cut: () => setPort(0),
      heal: () => setPort(3),
    };
  }

  /** Removes the machines and the switch. Their processes must have ended. */
  close(): void {
    for (const namespace of this.#namespaces) spawnSync('ip', ['netns', 'delete', namespace]);
    spawnSync('ip', ['link', 'delete', this.#bridge]);
  }
}

const ip = (...args: string[]): void => run('ip', args);

function run(program: 'ip' | 'bridge', args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? stderr.trim()}`);
}
