export type StreamTicket = {
  ticket: string;
  ws_url: string;
  realtime: { topics: string[]; access_token: string } | null;
};

/** Requests a ticket for one stream connection over REST, as a customer does. */
export async function mintTicket(base: string, key: string): Promise<StreamTicket> {
  const response = await fetch(`${base}/v1/stream/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(15_000),
  });
  const minted = (await response.json()) as Partial<StreamTicket>;
  if (!minted.ticket) throw new Error(`no ticket: ${response.status}`);
  return minted as StreamTicket;
}
