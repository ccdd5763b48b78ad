import type postgres from 'postgres';

export type Tickets = {
  /** The epoch of `markets:all`. */
  epoch: string;
  /** A connect command for each client. */
  commands: string[];
};

/** Tickets of one organization with a high limit. */
export async function mintTickets(sql: postgres.Sql, clients: number): Promise<Tickets> {
  await sql`update account.tiers set stream_connections = 32000 where tier = 'basic'`;
  const [minted] = await sql<{ key: string }[]>`select account.mint_key('clients', 'basic') as key`;
  const rows = await sql<{ ticket: string }[]>`
    select stream.mint_ticket(k.hash) ->> 'ticket' as ticket
    from (
      select k.hash, set_config('parallax.org', k.org_id::text, false)
      from account.keys k
      where k.hash = account.key_hash(${minted?.key ?? ''})
    ) k
    cross join generate_series(1, ${clients}::integer)`;
  const [channel] = await sql<{ epoch: string }[]>`select epoch from stream.channels where channel = 'markets:all'`;
  return {
    epoch: channel?.epoch ?? '',
    commands: rows.map(({ ticket }) => `{"id":1,"connect":{"data":{"t":"${ticket}"}}}`),
  };
}
