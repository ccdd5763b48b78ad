import type { Sql } from '../../local/platform/postgres/template.ts';
import { type ChannelState, type Frame, ReplayedState } from '../support/replayed_state.ts';
import { sortedJson } from '../support/sorted_json.ts';
import { holdsWithin } from '../support/wait_until.ts';
import type { Findings } from './findings.ts';
import { StreamClient } from './load/stream_client.ts';

const channel = 'markets:all';

/** A customer who keeps the whole market by the stream alone: what it knows at the end is what the database says. */
export class Listener {
  readonly client: StreamClient;
  readonly #frames = new Map<number, Frame>();
  readonly #sql: Sql;
  #began: ChannelState | undefined;

  constructor(sql: Sql, base: string, wsUrl: string, key: string) {
    this.#sql = sql;
    this.client = new StreamClient('listener', base, wsUrl, key, (one) => {
      if (one.channel === channel) this.#frames.set(one.offset, one.frame as Frame);
    });
  }

  async begin(): Promise<void> {
    if (!(await holdsWithin(async () => this.client.sequences.has(channel), 60_000)))
      throw new Error('no stream to listen to');
    this.#began = await this.#state();
  }

  async #state(): Promise<ChannelState> {
    const [row] = await this.#sql<{ state: ChannelState }[]>`select stream.channel_state_of(${channel}) as state`;
    if (!row) throw new Error('no state');
    return row.state;
  }

  async check(findings: Findings): Promise<void> {
    const name = 'stream: the replayed state is the database’s';
    const [began, now] = [this.#began, await this.#state()];
    if (!began) throw new Error('it has not begun');
    if (!(await holdsWithin(async () => this.#frames.has(now.offset) || now.offset === began.offset, 60_000))) {
      findings.violate(name, `offset ${now.offset} never came`);
      return;
    }
    const replayed = new ReplayedState(began);
    for (let offset = began.offset + 1; offset <= now.offset; offset += 1) {
      const frame = this.#frames.get(offset);
      if (frame) replayed.apply([frame]);
      else findings.violate(name, `offset ${offset} was not heard`);
    }
    findings.add(name, now.markets.length + now.opportunities.length, replayed.differences(now));
    await this.#compareLog(began.offset, now.offset, findings);
    this.client.centrifuge.disconnect();
  }

  /** Word for word what the log holds. */
  async #compareLog(after: number, until: number, findings: Findings): Promise<void> {
    const rows = this.#sql<{ upto: string; frames: string[] }[]>`
      select last_offset as upto, frames from stream.publications
      where channel = ${channel} and last_offset > ${after} order by last_offset`;
    for await (const batch of rows.cursor(200)) {
      for (const { upto, frames } of batch) {
        for (const [place, text] of frames.entries()) {
          const offset = Number(upto) - frames.length + 1 + place;
          const heard = this.#frames.get(offset);
          if (offset <= after || offset > until || !heard) continue;
          const same = sortedJson(heard) === sortedJson(JSON.parse(text));
          findings.add('stream: frames are those of the log', 1, same ? [] : [`offset ${offset} differs`]);
        }
      }
    }
  }
}
