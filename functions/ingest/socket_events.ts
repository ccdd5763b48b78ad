import { JsonScan } from '../_shared/json_limits.ts';
import type { OpenSocket, SocketEvents } from '../_shared/reconnecting_socket.ts';
import { type LimitFault, MAX_MESSAGE_BYTES, MESSAGE_LIMITS } from './feeds/limits.ts';

/**
 * The HTTP status of a refused handshake. The WebSocket interface has no field for it, but both
 * clients name it in the text of the error event: Deno 2.9.5 "Invalid status code: 401", `ws`
 * 8 "Unexpected server response: 401". Null when the text has no status.
 */
export function refusedStatusOf(event: unknown): number | null {
  const text = typeof event === 'object' && event !== null && 'message' in event ? String(event.message) : '';
  const status = /(?:status code|server response): ([1-5]\d\d)\b/.exec(text)?.[1];
  return status === undefined ? null : Number(status);
}

/** Whether `ws` refused a message because of its length or the number of its parts. */
function isTooLarge(event: unknown): boolean {
  const error = typeof event === 'object' && event !== null && 'error' in event ? event.error : null;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' || code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS';
}

/** What is used of a WebSocket. */
type Socket = Pick<WebSocket, 'onopen' | 'onmessage' | 'onerror' | 'onclose' | 'readyState' | 'send' | 'close'>;

/** Hands the events of a WebSocket over, without the messages that are above the limits. */
export function openSocketOf(socket: Socket, on: SocketEvents): OpenSocket {
  let refusedStatus: number | null = null;
  let isOver = false;
  const refuse = (fault: LimitFault): void => {
    if (isOver) return;
    isOver = true;
    if ('terminate' in socket && typeof socket.terminate === 'function') socket.terminate();
    else socket.close();
    on.overLimit?.(fault);
    on.close(`message.${fault}`);
  };
  socket.onopen = () => on.open();
  socket.onmessage = ({ data }) => {
    if (typeof data !== 'string' || isOver) return;
    const fault = data.length > MAX_MESSAGE_BYTES ? 'too_large' : new JsonScan(MESSAGE_LIMITS).add(data);
    if (fault === null) on.message(data);
    else refuse(fault);
  };
  socket.onerror = (event) => {
    if (isTooLarge(event)) refuse('too_large');
    else refusedStatus = refusedStatusOf(event);
  };
  socket.onclose = (event) => {
    if (!isOver) on.close(`${event.code}${event.reason ? ` ${event.reason}` : ''}`, refusedStatus);
  };
  return {
    send: (text) => {
      if (socket.readyState === 1) socket.send(text);
    },
    close: () => {
      if (socket.readyState < 2) socket.close();
    },
  };
}
