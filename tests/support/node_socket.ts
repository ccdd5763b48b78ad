import WebSocket from 'ws';

/**
 * A socket under Node as the SDK (centrifuge 5.7.4) knows it from browsers: a message a turn, since it lets messages of one turn change
 * places, and none after it was closed from here, since it would hear them beside those of the next connection. docs/stream_clients.md
 * tells customers the same; the test of that page shows what happens without.
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
