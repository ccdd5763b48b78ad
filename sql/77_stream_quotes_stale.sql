-- Published quotes that are no longer valid: the market is over, the contract is no leg any more,
-- or the shard has no live reader.

create function stream.end_reason(p_status text, p_withdrawn_at timestamptz) returns text
language sql immutable parallel safe
return case
  when p_status is null or p_withdrawn_at is not null then 'pair.withdrawn'
  when p_status in ('closed', 'settled') then 'pair.' || p_status
end;
comment on function stream.end_reason(text, timestamptz) is
  'Why a pair is quoted no more; null while it trades. A null status: there is no such pair.';

create function stream.stale_quotes(p_pairs uuid[])
returns table (leg stream.published_quotes, reason text, gone boolean)
language sql stable
set search_path = ''
as $$
  select t, coalesce(
           case when not l.found then
                  coalesce(stream.end_reason(p.status, p.withdrawn_at), 'legs.changed')
           end,
           'lease.expired'
         ),
         not l.found
  from stream.published_quotes t
  left join catalog.pairs p on p.pair_id = t.pair_id
  cross join lateral (
    select exists (
      select
      from stream.quotable_legs x
      where x.pair_id = t.pair_id
        and x.venue = t.venue
        and x.contract_id = t.contract_id
        and x.side = t.side
    ) as found
  ) l
  where t.pair_id = any (p_pairs)
    and (
      not l.found
      or (coalesce(t.bid, t.ask) is not null and exists (select from price.unread_pairs u where u.pair_id = t.pair_id))
    )
$$;
comment on function stream.stale_quotes(uuid[]) is
  'Stale quotes of these pairs, with the reason: not a leg of a market that trades (gone), or '
  'without a live reader.';

create function stream.closing_quotes(p_pairs uuid[]) returns setof stream.frame
language sql volatile
set search_path = ''
as $$
  with over as materialized (
    select u.leg, u.reason, u.gone, (u.leg).pair_id, (u.leg).venue, (u.leg).contract_id, (u.leg).side
    from stream.stale_quotes(p_pairs) u
  ), dropped as (
    delete from stream.published_quotes t
    using over o
    where o.gone
      and (t.pair_id, t.venue, t.contract_id, t.side) = (o.pair_id, o.venue, o.contract_id, o.side)
  ), emptied as (
    update stream.published_quotes t
    set bid = null,
        ask = null,
        bid_size = null,
        ask_size = null,
        venue_time = null,
        published_at = clock_timestamp()
    from over o
    where not o.gone
      and (t.pair_id, t.venue, t.contract_id, t.side) = (o.pair_id, o.venue, o.contract_id, o.side)
  )
  select f.*
  from stream.render_quotes(array(
    select row(
      o.pair_id, o.venue, o.contract_id, o.side, null, null, null, null, null, (o.leg).read_at, o.reason, false
    )::stream.leg_quote
    from over o
    where coalesce((o.leg).bid, (o.leg).ask) is not null
    order by o.pair_id, o.venue, o.contract_id, o.side
  )) f
$$;
comment on function stream.closing_quotes(uuid[]) is
  'Part of stream.publish_changes: an empty quote for each stale leg of these pairs that has a '
  'price. Deletes the legs that are gone.';

create function stream.stale_quote_pairs() returns setof uuid
language sql stable
set search_path = ''
as $$
  select q.pair_id
  from (select distinct t.pair_id from stream.published_quotes t) q
  left join catalog.pairs p on p.pair_id = q.pair_id
    and p.withdrawn_at is null
    and p.status in ('open', 'live', 'resolving')
  where p.pair_id is null
  union all
  select distinct t.pair_id
  from stream.published_quotes t
  join price.unread_pairs u on u.pair_id = t.pair_id
  where coalesce(t.bid, t.ask) is not null
$$;
comment on function stream.stale_quote_pairs() is
  'Part of stream.unpublished_pairs: pairs with published quotes that are over or have no live '
  'reader.';

revoke all on function
  stream.end_reason(text, timestamptz),
  stream.stale_quotes(uuid[]),
  stream.closing_quotes(uuid[]),
  stream.stale_quote_pairs()
from public;
