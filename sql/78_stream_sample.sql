-- The sample (plan Free), and the state of both feeds. They change with time and not with a
-- transaction, so stream.broadcast_pending publishes them.

create table stream.sample_markets (
  pair_id uuid primary key,
  published_at timestamptz not null default '-infinity',
  update_no bigint
);
comment on table stream.sample_markets is
  'The markets of channel sample, with the last price update that was published for each.';
comment on column stream.sample_markets.published_at is
  'Real time of that price update: at most one a second for each market.';

create table stream.published_feeds (
  venue venue.code primary key,
  state text not null check (state in ('up', 'stale', 'down'))
);
comment on table stream.published_feeds is 'The last published state of the feed of each venue.';

create table stream.flush_state (
  singleton boolean primary key default true check (singleton),
  sample_hour timestamptz not null default '-infinity',
  repaired_at timestamptz not null default '-infinity',
  tokens numeric not null default 0,
  refilled_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table stream.flush_state is
  'One row, the state of stream.broadcast_pending: the hour of the sample, the last repair of '
  'missed publications, and what is left of the message quota.';
insert into stream.flush_state (singleton) values (true) on conflict do nothing;

alter table stream.sample_markets enable row level security;
alter table stream.sample_markets force row level security;
alter table stream.published_feeds enable row level security;
alter table stream.published_feeds force row level security;
alter table stream.flush_state enable row level security;
alter table stream.flush_state force row level security;

create function stream.sample_frames(p_frames stream.frame[]) returns setof stream.frame
language sql stable
set search_path = ''
as $$
  select 'sample', f.pair_id, f.json
  from unnest(p_frames) with ordinality as f (channel, pair_id, json, place)
  join stream.sample_markets s on s.pair_id = f.pair_id
  where f.channel = 'markets:all'
    -- stream.publish_sample_prices publishes prices, at most one a second.
    and not starts_with(f.json, '{"type":"price"')
  order by f.place
$$;
comment on function stream.sample_frames(stream.frame[]) is
  'Part of stream.publish_changes: those of these frames that channel sample has too.';

create function stream.select_sample(p_limit integer) returns setof uuid
language sql stable
set search_path = ''
as $$
  with priced as (
    select p.pair_id, p.status, p.start_time, coalesce(p.sport, p.category) as kind,
           -- Value at the asks of the thinner venue in 1e-8 USD. Price updates have no deeper
           -- levels.
           (
             select min(q.dollars)
             from (
               select sum(a * n) as dollars
               from unnest(l.ask_a, l.size_a) as t (a, n)
               union all
               select sum(b * n)
               from unnest(l.ask_b, l.size_b) as t (b, n)
             ) q
           ) as depth
    from catalog.pairs p
    join price.latest_updates l on l.pair_id = p.pair_id and l.void_reason is null and l.spread_pts is not null
    where p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.status in ('open', 'live')
  ), placed as (
    select r.*,
           row_number() over (
             partition by r.kind
             order by r.status = 'live' desc, r.start_time < clock.now() + interval '1 day' desc,
                      r.depth desc nulls last, r.pair_id
           ) as n
    from priced r
  )
  select p.pair_id
  from placed p
  -- The first of each sport, then the second of each.
  order by p.n, p.status = 'live' desc, p.start_time < clock.now() + interval '1 day' desc, p.depth desc nulls last,
           p.pair_id
  limit p_limit
$$;
comment on function stream.select_sample(integer) is
  'Chooses the markets of the sample: live before starting within a day, deep books before thin '
  'ones, the sports in turn.';

create function stream.replace_sample() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_chosen uuid[] := array(select stream.select_sample((select s.sample_markets from stream.settings s)));
  v_gone uuid[];
  v_new uuid[];
begin
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  with gone as (
    delete from stream.sample_markets s where s.pair_id <> all (v_chosen) returning s.pair_id
  )
  select array_agg(g.pair_id) into v_gone
  from gone g;
  with new as (
    insert into stream.sample_markets (pair_id)
    select c
    from unnest(v_chosen) c
    on conflict do nothing
    returning pair_id
  )
  select array_agg(n.pair_id) into v_new
  from new n;
  perform stream.append_publication(
    'sample', array(select stream.removed_frame(g, 'sample_changed') from unnest(v_gone) g)
  );
  perform stream.append_publication('sample', array(
    select stream.market_frame(r, l.read_a, l.read_b)
    from unnest(stream.render_markets(stream.latest_updates_of(v_new), true)) r
    left join price.latest_updates l on l.pair_id = r.pair_id
  ));
  perform stream.append_publication('sample', array(
    select stream.opportunity_frame('opened', o, s)
    from stream.published_opportunities t
    join arb.opportunities o on o.opportunity_id = t.opportunity_id
    join arb.opportunity_states s on s.opportunity_id = t.opportunity_id and s.state_no = t.state_no
    where t.pair_id = any (v_new)
  ));
  update stream.flush_state
  set sample_hour = case when v_chosen = '{}' then '-infinity' else date_trunc('hour', clock_timestamp(), 'UTC') end;
  return cardinality(v_chosen);
end
$$;
comment on function stream.replace_sample() is
  'Chooses the sample again and publishes what leaves and what joins. Once an hour; sooner while '
  'it is empty.';

create function stream.publish_sample_prices() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_due price.price_update[];
  v_frames text[];
begin
  if not exists (
    select
    from stream.sample_markets s
    join price.latest_updates l on l.pair_id = s.pair_id and l.update_no is distinct from s.update_no
    where not base.is_within(s.published_at, interval '1 second')
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  select array_agg(u)
  into v_due
  from unnest(
    stream.latest_updates_of(
      array(
        select s.pair_id from stream.sample_markets s where not base.is_within(s.published_at, interval '1 second')
      )
    )
  ) u
  join stream.sample_markets s on s.pair_id = u.pair_id and s.update_no is distinct from u.update_no;
  v_frames := array(select p.json from stream.price_frames(v_due, stream.render_markets(v_due, false)) p);
  update stream.sample_markets s
  set published_at = clock_timestamp(),
      update_no = u.update_no
  from unnest(v_due) u
  where s.pair_id = u.pair_id;
  perform stream.append_publication('sample', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.publish_sample_prices() is
  'Publishes the newest price of each sample market, at most one a second. A change within the '
  'second follows at its end. Returns how many.';

create function stream.publish_feeds() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_frames text[];
begin
  if not exists (
    select
    from venue.feed_states() f
    left join stream.published_feeds t on t.venue = f.venue
    where t.state is distinct from f.state
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish_changes', 0));
  with changed as (
    insert into stream.published_feeds as t (venue, state)
    select f.venue, f.state
    from venue.feed_states() f
    on conflict (venue) do update
    set state = excluded.state
    where t.state <> excluded.state
    returning t.venue, t.state
  )
  select array_agg(
    '{"type":"feed","venue":"' || c.venue || '","state":"' || c.state
      || '","last_message_at":' || coalesce('"' || base.format_time(f.last_message_at) || '"', 'null') || '}'
    order by c.venue
  )
  into v_frames
  from changed c
  join venue.feeds f on f.venue = c.venue;
  perform stream.append_publication('status', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.publish_feeds() is
  'Publishes a feed frame for each venue whose feed state changed. Silence makes a feed stale '
  'without a transaction. Returns how many.';

create function stream.list_sample() returns setof uuid
language sql stable security definer
set search_path = ''
as $$
  select s.pair_id from stream.sample_markets s
$$;
comment on function stream.list_sample() is 'The pairs of the sample, for GET /v2/sample.';

revoke all on function
  stream.list_sample(),
  stream.replace_sample(),
  stream.publish_sample_prices(),
  stream.publish_feeds()
from public;
grant execute on function stream.list_sample() to parallax_api;
