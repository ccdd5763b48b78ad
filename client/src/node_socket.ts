import WebSocket from 'ws';

/**
 * A WebSocket for Node that behaves like the one of a browser, as the SDK of the stream expects:
 * one message in each turn of the event loop, and none after the client closed it. The SDK would
 * otherwise change the order of messages, or mix them with those of its next connection.
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
