-- The alarm price_divergence: mid prices of one outcome that stay far apart are evidence against
-- the pair, independent of its texts.

create function price.diverging(
  p_gap_pts numeric, p_ask_a integer[], p_bid_a integer[], p_ask_b integer[], p_bid_b integer[]
) returns table (ordinal integer, mid_a integer, mid_b integer)
language sql immutable
set search_path = ''
as $$
  select t.place::integer - 1, (t.ask_a + t.bid_a) / 2, (t.ask_b + t.bid_b) / 2
  from unnest(p_ask_a, p_bid_a, p_ask_b, p_bid_b) with ordinality as t (ask_a, bid_a, ask_b, bid_b, place)
  -- A crossed book has no mid price, and neither has one with an empty side.
  where t.ask_a > t.bid_a
    and t.ask_b > t.bid_b
    and abs((t.ask_a + t.bid_a) - (t.ask_b + t.bid_b)) >= p_gap_pts * 20000
$$;
comment on function price.diverging(numeric, integer[], integer[], integer[], integer[]) is
  'The outcomes of a price update whose mid prices (1e-6 USD) are at least p_gap_pts points '
  'apart. Both books need both sides.';

create function price.divergences() returns table (pair_id uuid, outcome_key text, mid_a integer, mid_b integer)
language sql stable
set search_path = ''
as $$
  -- Few pairs diverge now. Only their updates of the last minutes are read.
  select distinct on (p.pair_id) p.pair_id, o.key, d.mid_a, d.mid_b
  from catalog.alarm_settings s
  join price.latest_updates l on l.void_reason is null
  cross join lateral price.diverging(s.gap_pts, l.ask_a, l.bid_a, l.ask_b, l.bid_b) d
  join catalog.pairs p on p.pair_id = l.pair_id
    and p.stage = 'catalog'
    and p.withdrawn_at is null
    and p.status in ('open', 'live')
  join catalog.outcomes o on o.pair_id = p.pair_id and o.ordinal = d.ordinal
  -- Books without a live lease holder are no evidence.
  join venue.leases e on e.name = 'books:' || (p.shard_key % (select t.shards from price.settings t))
    and not base.is_over(e.expires_at, e.ttl)
  where not exists (select from catalog.alarms a where a.pair_id = p.pair_id and a.ended_at is null)
    -- The update at the start of the period, and every one since, diverges in this outcome.
    and (
      select bool_and(f.void_reason is null and f.diverges)
      from (
        select f.void_reason,
               exists (
                 select
                 from price.diverging(s.gap_pts, f.ask_a, f.bid_a, f.ask_b, f.bid_b) x
                 where x.ordinal = d.ordinal
               ) as diverges
        from price.updates f
        where f.pair_id = p.pair_id
          and f.priced_at > clock.now() - s.lasting
        union all
        select b.void_reason,
               exists (
                 select
                 from price.diverging(s.gap_pts, b.ask_a, b.bid_a, b.ask_b, b.bid_b) x
                 where x.ordinal = d.ordinal
               )
        from (
          select f.*
          from (values (1)) as one (n)
          left join lateral (
            select f.void_reason, f.ask_a, f.bid_a, f.ask_b, f.bid_b
            from price.updates f
            where f.pair_id = p.pair_id
              and f.priced_at <= clock.now() - s.lasting
            order by f.priced_at desc, f.update_no desc
            limit 1
          ) f on true
        ) b
      ) f
    )
  order by p.pair_id, abs(d.mid_a - d.mid_b) desc, d.ordinal
$$;
comment on function price.divergences() is
  'Published pairs with an outcome whose mid prices were too far apart for the whole period of '
  'catalog.alarm_settings, with the outcome of the largest gap.';

create function price.watch_divergence() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- A confirmed divergence is over when a valid update has none.
  update catalog.alarms a
  set ended_at = clock.now()
  from price.latest_updates l
  cross join catalog.alarm_settings s
  where a.confirmed_at is not null
    and a.ended_at is null
    and l.pair_id = a.pair_id
    and l.void_reason is null
    and not exists (select from price.diverging(s.gap_pts, l.ask_a, l.bid_a, l.ask_b, l.bid_b));
  return (
    select count(*) filter (where catalog.raise_alarm(d.pair_id, d.outcome_key, d.mid_a, d.mid_b))
    from price.divergences() d
  );
end
$$;
comment on function price.watch_divergence() is
  'Raises the alarms price_divergence that are due and ends those that are over. Returns how many '
  'it raised; pipeline.watch_divergence publishes them.';
revoke all on function price.watch_divergence(), price.divergences() from public;
