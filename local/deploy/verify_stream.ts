import WebSocket from 'ws';
import { errorText } from '../platform/user_error.ts';
import { checkResult, type Finding } from './finding.ts';

/** A ticket of `POST /v1/stream/token` (docs/stream.md). */
export type Ticket = {
  ticket: string;
  ws_url: string;
  realtime: { url: string; apikey: string; access_token: string; topics: string[] } | null;
};

const TIMEOUT_MS = 15_000;

/** Connects to the stream with the ticket. */
export async function streamFinding({ ticket, ws_url }: Ticket): Promise<Finding> {
  try {
    const hello = JSON.stringify({ id: 1, connect: { data: { t: ticket } } });
    const reply = await ask(ws_url, hello, (message) => (message.id === 1 ? message : undefined));
    const { error } = reply as { error?: { message?: string } };
    return checkResult('ticket of the stream', error ? [`the stream refuses it: ${error.message}`] : [], 'connects');
  } catch (error) {
    return checkResult('ticket of the stream', [`${new URL(ws_url).host} does not connect: ${errorText(error)}`], '');
  }
}

/** A public channel must be refused, and a channel of the ticket must open. */
export async function realtimeFindings({ realtime }: Ticket): Promise<Finding[]> {
  const subject = 'channels of Realtime';
  if (!realtime)
    return [
      checkResult(subject, ['the ticket has no token for Realtime: is STREAM_SIGNING_KEY set and imported?'], ''),
    ];
  const { url, apikey, access_token, topics } = realtime;
  const address = new URL(`${url.replace(/^http/, 'ws')}/realtime/v1/websocket`);
  address.searchParams.set('apikey', apikey);
  address.searchParams.set('vsn', '1.0.0');
  const join = async (topic: string, isPrivate: boolean) => {
    const payload = { config: { private: isPrivate }, ...(isPrivate ? { access_token } : {}) };
    const message = { topic: `realtime:${topic}`, event: 'phx_join', payload, ref: '1', join_ref: '1' };
    const reply = await ask(address.href, JSON.stringify(message), (found) =>
      found.event === 'phx_reply' ? (found.payload as { status?: string; response?: unknown }) : undefined,
    );
    return { isOpen: reply.status === 'ok', reason: JSON.stringify(reply.response ?? '') };
  };
  try {
    const open = await join('parallax-verify', false);
    const own = await join(topics[0] ?? '', true);
    return [
      checkResult(
        'Realtime is private',
        open.isOpen ? ['a public channel opens: turn off "Allow public access" in Realtime, Settings'] : [],
        'a public channel is refused',
      ),
      checkResult(
        subject,
        own.isOpen
          ? []
          : [`${topics[0]} is refused: ${own.reason}. Is the policy there, and the signing key imported?`],
        `${topics[0]} opens with the ticket's token`,
      ),
    ];
  } catch (error) {
    return [checkResult(subject, [`Realtime does not answer: ${errorText(error)}`], '')];
  }
}

type Message = Record<string, unknown>;

/** Opens a socket, sends one message, and returns the first answer that `pick` takes. */
function ask<T>(url: string, text: string, pick: (message: Message) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { handshakeTimeout: TIMEOUT_MS });
    const timer = setTimeout(() => end(() => reject(new Error(`no answer within ${TIMEOUT_MS / 1000} s`))), TIMEOUT_MS);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.terminate();
      settle();
    };
    socket.on('open', () => socket.send(text));
    socket.on('message', (data) => {
      // The stream sends one JSON object a line.
      for (const line of String(data).split('\n').filter(Boolean)) {
        const found = pick(JSON.parse(line) as Message);
        if (found !== undefined) end(() => resolve(found));
      }
    });
    socket.on('close', (code, reason) => end(() => reject(new Error(`closed with ${code} ${reason}`))));
    socket.on('error', (error) => end(() => reject(error)));
  });
}
