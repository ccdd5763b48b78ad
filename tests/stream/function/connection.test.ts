import { describe, expect, test } from 'vitest';
import { type ClientSocket, Connection, type ConnectionHost } from '../../../functions/stream/connection.ts';
import { LogReader } from '../../../functions/stream/log_reader.ts';
import type { ChannelPosition } from '../../../functions/stream/queries.ts';
import { UNKNOWN_TICKET as TICKET } from '../../support/random_secrets.ts';
import { waitUntil } from '../../support/wait_until.ts';
import { FakeLog, framesFrom } from './fake_log.ts';

/**
 * Guarantee: what the server writes to the socket follows the plan at once. The SDK drops frames of
 * a channel that it has left, so these tests read the bytes.
 */

const at = (channel: string, offset = 0): ChannelPosition => ({ channel, epoch: 'one', offset });

/** A connected client of these channels, and the texts that its socket was given. */
async function connected(...channels: string[]) {
  const sent: string[] = [];
  const closed: number[] = [];
  const socket: ClientSocket = {
    bufferedAmount: 0,
    send: (text) => sent.push(text),
    close: (code) => closed.push(code),
  };
  const log = new FakeLog();
  const reader = new LogReader({ publicationLog: log, log: () => {}, onReset: () => {} });
  const counted = { messages: 0 };
  const host: ConnectionHost = {
    version: 'test',
    publicationLog: log,
    reader,
    log: () => {},
    admit: async () => ({ org_id: 'org', max_conns: 1, channels: channels.map((channel) => at(channel)) }),
    sent: (messages) => {
      counted.messages += messages;
    },
    releaseSlot: () => {},
    ended: () => {},
    gone: () => {},
  };
  const connection = new Connection(socket, host);
  connection.receive(`{"id":1,"connect":{"data":{"t":"${TICKET}"}}}`);
  await waitUntil(() => connection.isConnected, { what: 'it is connected' });
  const publish = (channel: string, first: number, last = first) =>
    reader.channel(at(channel)).take(first, framesFrom(first, last));
  /** The messages since the last call: `channel offset`, or the name of another push. */
  const taken = () =>
    sent.splice(0).flatMap((text) =>
      text.split('\n').map((line) => {
        const { push, connect } = JSON.parse(line);
        if (connect) return 'connect';
        const kind = Object.keys(push).find((name) => name !== 'channel') ?? '';
        return kind === 'pub' ? `${push.channel} ${push.pub.offset}` : `${kind} ${push.channel}`;
      }),
    );
  return { connection, closed, publish, taken, stop: () => reader.stop(), counted };
}

describe('a change of the plan', () => {
  test('ends the publications of a lost channel on the wire, and those of the others go on', async () => {
    const { connection, publish, taken, stop } = await connected('sample', 'status');
    publish('sample', 1);
    publish('status', 1, 2);
    expect(taken()).toEqual(['connect', 'sample 1', 'status 1', 'status 2']);
    connection.changeChannels(['sample'], []);
    publish('sample', 2, 3);
    publish('status', 3);
    expect(taken()).toEqual(['unsubscribe sample', 'status 3']);
    expect([...connection.channels]).toEqual(['status']);
    stop();
  });

  test('adds a channel from its present position, also one that was lost before', async () => {
    const { connection, publish, taken, stop } = await connected('sample');
    publish('sample', 1);
    taken();
    for (const first of [2, 4]) {
      connection.changeChannels(['sample'], []);
      publish('sample', first);
      connection.changeChannels([], [at('sample')]);
      publish('sample', first + 1);
      expect(taken()).toEqual(['unsubscribe sample', 'subscribe sample', `sample ${first + 1}`]);
    }
    connection.changeChannels(['sample', 'status'], [at('markets:all')]);
    publish('markets:all', 1);
    expect(taken()).toEqual(['unsubscribe sample', 'unsubscribe status', 'subscribe markets:all', 'markets:all 1']);
    expect([...connection.channels]).toEqual(['markets:all']);
    stop();
  });

  test('changes nothing for a connection that has ended, and nothing is written to it', async () => {
    const { connection, closed, publish, taken, stop } = await connected('sample', 'status');
    taken();
    connection.end('handover');
    connection.changeChannels(['sample'], [at('markets:all')]);
    publish('sample', 1);
    publish('markets:all', 1);
    connection.end('slow');
    expect([taken(), closed.length, [...connection.channels]]).toEqual([[], 1, []]);
    stop();
  });
});
