import type { HttpResponse } from './http.ts';

/** By names in lower case, as node:http has them. */
export type RequestHeaders = { readonly [name: string]: string | readonly string[] | undefined };

export type VenueRequest = {
  method: string;
  url: URL;
  headers: RequestHeaders;
  /** The body as JSON; undefined when it is not JSON. */
  body(): Promise<unknown>;
};

/** `cut`: the connection ends without a response. `hostile`: faults/hostile_answer.ts sends it. */
export type VenueAnswer = HttpResponse | 'cut' | { hostile: string };

/** The venue's end of a WebSocket. */
export type VenueSocket = {
  readonly isOpen: boolean;
  /** Bytes that the client has not read yet. */
  readonly bufferedAmount: number;
  send(text: string): void;
  ping(): void;
  /** Ends the connection without a close frame. */
  terminate(): void;
};

/** A connected client, for the server: its frames, and its end. */
export type VenueClient = { command(text: string): void; close(): void };

/** One venue without its server, so that tests can call it without a port. */
export type Venue = {
  readonly name: 'venue_a' | 'venue_b';
  /** Never rejects. */
  respond(request: VenueRequest): Promise<VenueAnswer>;
  /** The status line with which a handshake is refused, `cut` without one, or null. */
  refusal(request: Pick<VenueRequest, 'url' | 'headers'>): string | null;
  connect(socket: VenueSocket): VenueClient;
};
