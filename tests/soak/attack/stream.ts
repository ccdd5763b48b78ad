import WebSocket from 'ws';
import { badTicket, randomTicket } from '../../support/random_secrets.ts';
import { pause } from '../../support/wait_until.ts';
import { serveAttack } from './attacker.ts';
import { frameHeader, openRawSocket } from './raw_socket.ts';

// Strangers at the stream: half frames, idle sockets and tickets that were never minted.

const HALF_FRAMES = 20;
const ANNOUNCED_BYTES = 62_000_000;
const SENT_BYTES = 55_000_000;
const PART = Buffer.alloc(256 * 1024, 'x');
const PART_EVERY_MS = 50;
const IDLE_SOCKETS = 300;
/** Addresses of the idle sockets, thirty sockets each. */
const IDLE_ADDRESSES = 10;
/** A socket that was refused or cut is opened again after this time. */
const REOPEN_MS = 4_000;
/** Connections with a ticket, by one address each. */
const TICKETS_PER_SECOND = 20;
const TICKET_ADDRESSES = 10;

serveAttack(({ wsUrl }, count) => {
  let isHolding = false;

  async function keepOpen(
    localAddress: string,
    name: string,
    use: (write: (part: Buffer) => boolean) => Promise<void>,
  ) {
    while (!isHolding) {
      let isOpen = true;
      let markClosed = (): void => {};
      const closed = new Promise<void>((resolve) => {
        markClosed = resolve;
      });
      const { socket, status } = await openRawSocket(wsUrl, localAddress, () => {
        isOpen = false;
        markClosed();
      });
      count(status === 101 ? `${name}: opened` : `${name}: refused ${status || 'without an answer'}`);
      if (status !== 101) socket.destroy();
      else {
        await use((part) => isOpen && socket.write(part));
        await closed;
        count(`${name}: cut`);
      }
      await pause(REOPEN_MS);
    }
  }

  /** Sends most of a frame and then neither its rest nor anything else. */
  async function sendHalfFrame(write: (part: Buffer) => boolean): Promise<void> {
    write(frameHeader(ANNOUNCED_BYTES));
    for (let sent = 0; sent < SENT_BYTES && !isHolding; sent += PART.length) {
      write(PART);
      count('half frames: megabytes sent', PART.length / 1e6);
      await pause(PART_EVERY_MS);
    }
  }

  function presentTicket(n: number): void {
    const ticket = n % 2 === 0 ? randomTicket() : badTicket();
    const name = n % 2 === 0 ? 'random tickets' : 'tickets with a wrong checksum';
    const localAddress = `127.0.4.${1 + (n % TICKET_ADDRESSES)}`;
    const socket = new WebSocket(wsUrl, { localAddress, handshakeTimeout: 10_000 });
    socket.on('open', () => socket.send(JSON.stringify({ id: 1, connect: { data: { t: ticket } } })));
    socket.on('error', (error) => count(`${name}: ${/\d{3}/.exec(error.message)?.[0] ?? 'no answer'}`));
    socket.on('close', (code) => {
      if (code !== 1006) count(`${name}: closed with ${code}`);
    });
  }

  for (let n = 0; n < HALF_FRAMES; n += 1) void keepOpen(`127.0.2.${1 + (n % 5)}`, 'half frames', sendHalfFrame);
  for (let n = 0; n < IDLE_SOCKETS; n += 1)
    void keepOpen(`127.0.3.${1 + (n % IDLE_ADDRESSES)}`, 'idle sockets', async () => {});
  let tickets = 0;
  const timer = setInterval(() => presentTicket(tickets++), 1_000 / TICKETS_PER_SECOND);
  return {
    hold() {
      isHolding = true;
      clearInterval(timer);
    },
  };
});
