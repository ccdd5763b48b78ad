export type Minted = { ticket: string; ws_url: string; realtime: { topics: string[]; access_token: string } | null };

/** A ticket for one connection to the stream, over REST as a customer gets it. */
export async function mintTicket(base: string, key: string): Promise<Minted> {
  const answer = await fetch(`${base}/v1/stream/token`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    signal: AbortSignal.timeout(15_000),
  });
  const minted = (await answer.json()) as Partial<Minted>;
  if (!minted.ticket) throw new Error(`no ticket: ${answer.status}`);
  return minted as Minted;
}
