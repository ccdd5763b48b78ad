import type { Sql } from '../../local/platform/postgres/template.ts';
import { logErrors } from '../soak/check/log.ts';
import { type ChannelState, type Frame, ReplayedState } from '../support/replayed_state.ts';

// What the database itself records about its writers: triggers note which machine (the address of
// its connection) took a lease, wrote a price, claimed a delivery and delivered it.

export async function recordWriters(sql: Sql): Promise<void> {
  await sql
    .unsafe(`
    create schema writers;
    create table writers.leases (
      no bigserial, name text, token bigint, holder uuid, address inet, at timestamptz default clock_timestamp()
    );
    create table writers.prices (
      no bigserial, shard text, token bigint, holder uuid, address inet, void text, at timestamptz default clock_timestamp()
    );
    create table writers.claims (
      no bigserial, delivery_id uuid, address inet, was_claimed boolean, at timestamptz default clock_timestamp()
    );
    create table writers.delivered (delivery_id uuid, address inet);
    create function writers.record_lease() returns trigger language plpgsql as $$
    begin
      if new.token <> old.token or new.holder is distinct from old.holder then
        insert into writers.leases (name, token, holder, address)
        values (new.name, new.token, new.holder, inet_client_addr());
      end if;
      return null;
    end $$;
    create trigger record_lease after update on venue.leases for each row execute function writers.record_lease();
    create function writers.record_price() returns trigger language plpgsql as $$
    begin
      insert into writers.prices (shard, token, holder, address, void)
      select l.name, l.token, l.holder, inet_client_addr(), new.void_reason
      from catalog.pairs p
      join venue.leases l on l.name = 'books:' || (p.shard_key % (select s.shards from price.settings s))
      where p.pair_id = new.pair_id;
      return null;
    end $$;
    create trigger record_price after insert on price.updates for each row execute function writers.record_price();
    create function writers.record_claim() returns trigger language plpgsql as $$
    begin
      if new.claim is not null and new.claim is distinct from old.claim then
        insert into writers.claims (delivery_id, address, was_claimed)
        values (new.delivery_id, inet_client_addr(), old.claim is not null and old.due_at > clock_timestamp());
      end if;
      if new.state = 'delivered' and old.state <> 'delivered' then
        insert into writers.delivered (delivery_id, address) values (new.delivery_id, inet_client_addr());
      end if;
      return null;
    end $$;
    create trigger record_claim after update on webhook.deliveries for each row execute function writers.record_claim();
  `)
    .simple();
}

/** Writes of a machine under a token that another machine took, and tokens that two took. */
export async function fencingErrors(sql: Sql): Promise<string[]> {
  const rows = await sql<{ error: string }[]>`
    select format('%s#%s was taken by %s and written by %s', p.shard, p.token, l.address, p.address) as error
    from (select distinct shard, token, address from writers.prices where address <> '127.0.0.1') p
    left join writers.leases l on l.name = p.shard and l.token = p.token and l.holder is not null
    where l.address is distinct from p.address
    union all
    select format('%s#%s was taken %s times', l.name, l.token, count(*))
    from writers.leases l
    where l.holder is not null
    group by l.name, l.token
    having count(*) > 1`;
  return rows.map(({ error }) => error);
}

/** Holes and overlaps of the publication log, and how its frames differ from the state. */
export async function streamErrors(sql: Sql): Promise<string[]> {
  return await sql.begin('isolation level repeatable read read only', async (tx) => {
    const log = await tx<{ channel: string; upto: number; frames: number; at: Date }[]>`
      select channel, last_offset::float8 as upto, cardinality(frames) as frames, at
      from stream.publications order by channel, last_offset`;
    const channels = await tx<{ channel: string; top: number }[]>`
      select channel, last_offset::float8 as top from stream.channels`;
    const errors = logErrors(log, new Map(channels.map(({ channel, top }) => [channel, top])));
    const first = log.filter((row, at) => log[at - 1]?.channel !== row.channel);
    errors.push(...first.filter((row) => row.upto !== row.frames).map((row) => `${row.channel} begins later than 1`));
    for (const [at, row] of log.entries()) {
      const before = log[at - 1];
      if (before?.channel === row.channel && before.at > row.at)
        errors.push(`${row.channel} ${row.upto} is out of order`);
    }
    const frames = await tx<{ frame: string }[]>`
      select f.frame
      from stream.publications p
      cross join lateral unnest(p.frames) with ordinality as f (frame, place)
      where p.channel = 'markets:all'
      order by p.last_offset, f.place`;
    const replayed = new ReplayedState();
    replayed.apply(frames.map(({ frame }) => JSON.parse(frame) as Frame));
    const [now] = await tx<{ state: ChannelState }[]>`select stream.channel_state_of('markets:all') as state`;
    if (now) errors.push(...replayed.differences(now.state));
    return errors;
  });
}

/** Pairs with two equal price updates in sequence: one update was applied twice. */
export async function repeatedUpdates(sql: Sql): Promise<string[]> {
  const rows = await sql<{ pair_id: string }[]>`
    select distinct f.pair_id
    from (
      select u.pair_id,
             (ask_a, ask_b, bid_a, bid_b, size_a, size_b, bid_size_a, bid_size_b, ladder_a, void_reason)
               is not distinct from lag(
                 (ask_a, ask_b, bid_a, bid_b, size_a, size_b, bid_size_a, bid_size_b, ladder_a, void_reason)
               ) over (partition by pair_id order by priced_at, update_no) as is_same
      from price.updates u
    ) f
    where f.is_same`;
  return rows.map(({ pair_id }) => pair_id);
}

/** What must be once and was not: claims at a time, deliveries of an event, their records. */
export async function deliveryErrors(sql: Sql): Promise<string[]> {
  const rows = await sql<{ error: string }[]>`
    select format('%s was claimed by %s during another attempt', c.delivery_id, c.address) as error
    from writers.claims c
    where c.was_claimed
    union all
    select format('%s was recorded as delivered %s times', d.delivery_id, count(*))
    from writers.delivered d
    group by d.delivery_id
    having count(*) > 1
    union all
    select format('%s of %s has %s deliveries', d.event, d.pair_id, count(*))
    from webhook.deliveries d
    where d.event = 'pair.created' and d.pair_id is not null
    group by d.endpoint_id, d.event, d.pair_id
    having count(*) > 1
    union all
    select format('%s is %s: %s', d.delivery_id, d.state, d.last_error)
    from webhook.deliveries d
    where d.state <> 'delivered'`;
  return rows.map(({ error }) => error);
}

/** The number of shards that each machine holds under a live lease, by its address. */
export async function sharesOf(sql: Sql): Promise<Record<string, number>> {
  const rows = await sql<{ address: string; count: number }[]>`
    select host(w.address) as address, count(*)::int as count
    from venue.leases l
    cross join lateral (select x.* from writers.leases x where x.name = l.name order by x.no desc limit 1) w
    where l.name like 'books:%' and l.holder = w.holder and l.expires_at > clock_timestamp()
    group by 1`;
  return Object.fromEntries(rows.map(({ address, count }) => [address, count]));
}

/** The shards whose prices a machine has written since a time, and after how long. */
export async function pricedBy(sql: Sql, address: string, since: Date): Promise<{ shard: string; ms: number }[]> {
  return await sql<{ shard: string; ms: number }[]>`
    select p.shard, (extract(epoch from min(p.at) - ${since}::timestamptz) * 1000)::int as ms
    from writers.prices p
    where p.address = ${address}::inet and p.void is null and p.at > ${since}::timestamptz
    group by p.shard
    order by p.shard`;
}

/** How many prices became void in this time because no worker held their shard. */
export async function unreadVoids(sql: Sql, since: Date, until: Date): Promise<number> {
  const rows = await sql`
    select from writers.prices p
    where p.void = 'lease.expired' and p.at > ${since}::timestamptz and p.at <= ${until}::timestamptz`;
  return rows.length;
}

export async function databaseNow(sql: Sql): Promise<Date> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`;
  if (!row) throw new Error('The database returned no time.');
  return row.now;
}
