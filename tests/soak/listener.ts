import type { Sql } from '../../local/platform/postgres/template.ts';
import { type ChannelState, type Frame, ReplayedState } from '../support/replayed_state.ts';
import { sortedJson } from '../support/sorted_json.ts';
import { holdsWithin } from '../support/wait_until.ts';
import type { Findings } from './findings.ts';
import { StreamClient } from './load/stream_client.ts';

const CHANNEL = 'markets:all';

/**
 * A stream client that rebuilds all markets from its frames. At the end its state must equal the
 * state in the database.
 */
export class Listener {
  readonly client: StreamClient;
  readonly #frames = new Map<number, Frame>();
  readonly #sql: Sql;
  #initial: ChannelState | undefined;

  constructor(sql: Sql, base: string, wsUrl: string, key: string) {
    this.#sql = sql;
    this.client = new StreamClient('listener', base, wsUrl, key, (one) => {
      if (one.channel === CHANNEL) this.#frames.set(one.offset, one.frame as Frame);
    });
  }

  async start(): Promise<void> {
    if (!(await holdsWithin(async () => this.client.sequences.has(CHANNEL), 60_000)))
      throw new Error(`not subscribed to ${CHANNEL}`);
    this.#initial = await this.#state();
  }

  async #state(): Promise<ChannelState> {
    const [row] = await this.#sql<{ state: ChannelState }[]>`select stream.channel_state_of(${CHANNEL}) as state`;
    if (!row) throw new Error(`no channel state of ${CHANNEL}`);
    return row.state;
  }

  async check(findings: Findings): Promise<void> {
    const name = 'stream: the replayed state equals the database’s';
    const [initial, now] = [this.#initial, await this.#state()];
    if (!initial) throw new Error('the listener has not started');
    if (!(await holdsWithin(async () => this.#frames.has(now.offset) || now.offset === initial.offset, 60_000))) {
      findings.violate(name, `offset ${now.offset} did not arrive`);
      return;
    }
    const replayed = new ReplayedState(initial);
    for (let offset = initial.offset + 1; offset <= now.offset; offset += 1) {
      const frame = this.#frames.get(offset);
      if (frame) replayed.apply([frame]);
      else findings.violate(name, `offset ${offset} is missing`);
    }
    findings.add(name, now.markets.length + now.opportunities.length, replayed.differences(now));
    await this.#compareLog(initial.offset, now.offset, findings);
    this.client.centrifuge.disconnect();
  }

  /** Compares each received frame with the publication log. */
  async #compareLog(after: number, until: number, findings: Findings): Promise<void> {
    const rows = this.#sql<{ upto: string; frames: string[] }[]>`
      select last_offset as upto, frames from stream.publications
      where channel = ${CHANNEL} and last_offset > ${after} order by last_offset`;
    for await (const batch of rows.cursor(200)) {
      for (const { upto, frames } of batch) {
        for (const [index, text] of frames.entries()) {
          const offset = Number(upto) - frames.length + 1 + index;
          const received = this.#frames.get(offset);
          if (offset <= after || offset > until || !received) continue;
          const isEqual = sortedJson(received) === sortedJson(JSON.parse(text));
          findings.add('stream: frames equal those of the log', 1, isEqual ? [] : [`offset ${offset} differs`]);
        }
      }
    }
  }
}
