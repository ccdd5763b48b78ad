import WebSocket from 'ws';

/**
 * A WebSocket for Node that behaves like the one of a browser, as the SDK (centrifuge 5.7.4)
 * expects:
 * - It emits one message per event loop turn. The SDK can swap messages that arrive in one turn.
 * - It emits no message after the client closed it. The SDK would mix such messages with those of
 * its next connection.
 *
 * docs/stream_clients.md asks others for the same, and the test of that page proves the need.
 */
export class NodeSocket extends WebSocket {
  constructor(address: string) {
    super(address, { allowSynchronousEvents: false });
  }

  override emit(event: string | symbol, ...rest: unknown[]): boolean {
    if (event === 'message' && this.readyState !== WebSocket.OPEN) return false;
    return super.emit(event, ...rest);
  }
}
