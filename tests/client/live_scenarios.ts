import type { Frame } from '../../client/src/frames.ts';

// What happens to a client of one channel, and the changes that its reader gets. Both clients, in
// TypeScript and in Python, must do the same (recovery.system.test.ts).

export type Step =
  | {
      do: 'subscribed';
      epoch: string;
      offset: number;
      wasRecovering?: boolean;
      recovered?: boolean;
      channel?: string;
      /** The next step follows before the state is read. */
      atOnce?: boolean;
    }
  | { do: 'publication'; offset: number; data: Frame; channel?: string; atOnce?: boolean }
  | { do: 'unsubscribed'; channel?: string; atOnce?: boolean }
  | { do: 'disconnected'; code: number; reason: string; channel?: string; atOnce?: boolean };

/** A state that the service returns, or the status of its refusal. */
export type Answer = { channel: string; epoch: string; offset: number; [rows: string]: unknown } | { status: number };

export type Scenario = {
  name: string;
  channel: string;
  states: Answer[];
  steps: Step[];
  /** `state EPOCH OFFSET`, or the id and signal of a price frame. */
  changes: string[];
  error?: string | null;
  reads: number;
  connects?: number;
};

const ALL = 'markets:all';
export const market = (id: string, more: object = {}) => ({
  ...{ id, status: 'open', title: id, signal: 'spread', spread_pts: null, potential_arb_pct: null, priced_at: 'then' },
  ...{ coverage: { venue_a: false, venue_b: false }, outcomes: [], ...more },
});
const state = (epoch: string, offset: number, ids: string[] = ['m1'], channel = ALL): Answer => ({
  ...{ channel, epoch, offset, opportunities: [], markets: ids.map((id) => market(id)) },
});
export const price = (n: number, id = 'm1', asks: [key: string, a: number | null, b: number | null][] = []) =>
  ({
    ...{ type: 'price', id, priced_at: `at ${n}`, books_read_at: { venue_a: `a ${n}`, venue_b: `b ${n}` } },
    ...{ spread_pts: n, potential_arb_pct: null, signal: 'spread' },
    outcomes: asks.map(([key, venue_a, venue_b]) => ({ key, venue_a, venue_b })),
  }) as Frame;
const publication = (offset: number): Step => ({ do: 'publication', offset, data: price(offset) });
const subscribed = (epoch: string, offset: number, more: object = {}): Step => ({
  ...{ do: 'subscribed', epoch, offset },
  ...more,
});
const RECOVERED = { wasRecovering: true, recovered: true };
const LOST = { wasRecovering: true, recovered: false };

export const scenarios: Scenario[] = [
  {
    name: 'reads the state once, and then follows the publications',
    ...{ channel: ALL, states: [state('one', 5)], steps: [subscribed('one', 5), publication(6), publication(7)] },
    ...{ changes: ['state one 5', '6', '7'], reads: 1 },
  },
  {
    name: 'applies what arrives before its state, once and in order',
    channel: ALL,
    states: [state('one', 6)],
    steps: [subscribed('one', 5, { atOnce: true }), publication(6), publication(7), publication(8)],
    ...{ changes: ['state one 6', '7', '8'], reads: 1 },
  },
  {
    name: 'applies no publication twice',
    channel: ALL,
    states: [state('one', 5)],
    steps: [subscribed('one', 5), publication(5), publication(6), publication(6), publication(7)],
    ...{ changes: ['state one 5', '6', '7'], reads: 1 },
  },
  {
    name: 'reads no state after a whole recovery, however often',
    channel: ALL,
    states: [state('one', 5)],
    steps: [
      ...[subscribed('one', 5), publication(6), subscribed('one', 6, RECOVERED), publication(7)],
      ...[publication(8), subscribed('one', 8, RECOVERED), publication(9)],
    ],
    ...{ changes: ['state one 5', '6', '7', '8', '9'], reads: 1 },
  },
  {
    name: 'reads the state again after a recovery that failed, because the log was reset',
    channel: ALL,
    states: [state('one', 5, ['m1', 'm2']), state('two', 3)],
    steps: [subscribed('one', 5), publication(6), subscribed('two', 3, LOST), publication(4)],
    ...{ changes: ['state one 5', '6', 'state two 3', '4'], reads: 2 },
  },
  {
    name: 'reads the state again after each recovery that failed, because the log reaches back less far',
    channel: ALL,
    states: [state('one', 5), state('one', 90), state('one', 200)],
    steps: [
      ...[subscribed('one', 5), publication(6), subscribed('one', 90, LOST), publication(91)],
      ...[subscribed('one', 200, LOST), publication(201)],
    ],
    ...{ changes: ['state one 5', '6', 'state one 90', '91', 'state one 200', '201'], reads: 3 },
  },
  {
    name: 'reads the state after a recovery from no state',
    channel: ALL,
    states: [{ status: 503 }, state('one', 5)],
    steps: [subscribed('one', 4, { atOnce: true }), subscribed('one', 5, RECOVERED), publication(6)],
    ...{ changes: ['state one 5', '6'], reads: 2 },
  },
  {
    name: 'ends where the service refuses its state',
    ...{ channel: ALL, states: [{ status: 404 }], steps: [subscribed('one', 5)] },
    ...{ changes: [], reads: 1, error: 'The service answered with status 404.' },
  },
  {
    name: 'ends where it loses its state later',
    ...{ channel: ALL, states: [state('one', 5), { status: 403 }] },
    ...{ steps: [subscribed('one', 5), publication(6), subscribed('two', 1, LOST)] },
    ...{ changes: ['state one 5', '6'], reads: 2, error: 'The service answered with status 403.' },
  },
  {
    name: 'takes nothing of another channel',
    channel: ALL,
    states: [state('one', 5)],
    steps: [
      subscribed('other', 1, { channel: 'status' }),
      subscribed('one', 5),
      { do: 'publication', offset: 6, data: price(99), channel: 'status' },
      publication(6),
      subscribed('other', 9, { channel: 'status', ...LOST }),
      { do: 'unsubscribed', channel: 'status' },
      publication(7),
    ],
    ...{ changes: ['state one 5', '6', '7'], reads: 1 },
  },
  {
    name: 'has no state on the channel of an organization, and reports a recovery that failed',
    channel: 'org:o1',
    states: [],
    steps: [
      ...[subscribed('one', 5), publication(6), subscribed('one', 6, RECOVERED), publication(7)],
      ...[subscribed('one', 90, LOST), publication(91), subscribed('two', 2, LOST), publication(3)],
    ],
    ...{ changes: ['state one 5', '6', '7', 'state one 90', '91', 'state two 2', '3'], reads: 0 },
  },
  {
    name: 'ends where the plan has the channel no longer',
    ...{ channel: ALL, states: [state('one', 5)], steps: [subscribed('one', 5), { do: 'unsubscribed' }] },
    ...{ changes: ['state one 5'], reads: 1, error: 'Your plan has the channel markets:all no longer.' },
  },
  {
    name: 'connects again where the server got no connect command in time, and ends for any other code',
    channel: ALL,
    states: [state('one', 5)],
    steps: [
      ...[subscribed('one', 5), publication(6)],
      { do: 'disconnected', code: 3502, reason: 'stale' },
      { do: 'disconnected', code: 3502, reason: 'stale' },
      ...[subscribed('one', 6, RECOVERED), publication(7)],
      { do: 'disconnected', code: 3503, reason: 'key revoked' },
    ],
    ...{ changes: ['state one 5', '6', '7'], reads: 1, connects: 3, error: 'The stream ended: 3503 key revoked' },
  },
];
