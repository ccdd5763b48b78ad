-- The curated sample (Free), and the state of both feeds: what no single transaction makes true, so the flush tells it.

create table stream.sampled (
  pair_id uuid primary key,
  told_at timestamptz not null default '-infinity',
  frame_no bigint
);
comment on table stream.sampled is 'The markets of the channel sample, with the last price that it said.';
comment on column stream.sampled.told_at is 'Real time of that price: at most one a second each.';

create table stream.told_feeds (
  venue venue.code primary key,
  state text not null check (state in ('up', 'stale', 'down'))
);
comment on table stream.told_feeds is 'What listeners hold each venue''s feed to be.';

create table stream.turns (
  one boolean primary key default true check (one),
  sampled_for timestamptz not null default '-infinity',
  made_good_at timestamptz not null default '-infinity',
  tokens numeric not null default 0,
  filled_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table stream.turns is 'The one row of what stream.flush does in turn: the hour that the sample was chosen for, when it last looked for what nobody told, and what of the message quota is left.';
insert into stream.turns (one) values (true) on conflict do nothing;

alter table stream.sampled enable row level security;
alter table stream.sampled force row level security;
alter table stream.told_feeds enable row level security;
alter table stream.told_feeds force row level security;
alter table stream.turns enable row level security;
alter table stream.turns force row level security;

create function stream.sample_of(p_frames stream.frame[]) returns setof stream.frame
language sql stable
set search_path = ''
as $$
  select 'sample', f.pair_id, f.json
  from unnest(p_frames) with ordinality as f (channel, pair_id, json, place)
  join stream.sampled s on s.pair_id = f.pair_id
  where f.channel = 'markets:all'
    -- Prices come at most once a second, from stream.tell_sample.
    and not starts_with(f.json, '{"type":"price"')
  order by f.place
$$;
comment on function stream.sample_of(stream.frame[]) is 'Part of stream.publish: what of these frames is also said on the channel sample.';

create function stream.sample_choice(p_most integer) returns setof uuid
language sql stable
set search_path = ''
as $$
  with priced as (
    select p.pair_id, p.status, p.start_time, coalesce(p.sport, p.category) as kind,
           -- What the thinner venue offers at its asks (1e-8 USD): all that the latest frame says of depth.
           (
             select min(q.dollars)
             from (
               select sum(a * n) as dollars from unnest(l.ask_a, l.size_a) as t (a, n)
               union all
               select sum(b * n) from unnest(l.ask_b, l.size_b) as t (b, n)
             ) q
           ) as depth
    from catalog.pairs p
    join price.latest l on l.pair_id = p.pair_id and l.void is null and l.spread_pts is not null
    where p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.status in ('open', 'live')
  ), placed as (
    select r.*,
           row_number() over (
             partition by r.kind
             order by r.status = 'live' desc, r.start_time < clock.now() + interval '1 day' desc, r.depth desc nulls last, r.pair_id
           ) as n
    from priced r
  )
  select p.pair_id
  from placed p
  -- The best of every sport first, then the second best of each …
  order by p.n, p.status = 'live' desc, p.start_time < clock.now() + interval '1 day' desc, p.depth desc nulls last, p.pair_id
  limit p_most
$$;
comment on function stream.sample_choice(integer) is 'Which markets the sample shows: live ones before those that start within a day, deep books before thin ones, the sports in turn.';

create function stream.choose_sample() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_chosen uuid[] := array(select stream.sample_choice((select s.sample_markets from stream.settings s)));
  v_gone uuid[];
  v_new uuid[];
begin
  perform pg_advisory_xact_lock(hashtextextended('stream.publish', 0));
  with gone as (
    delete from stream.sampled s where s.pair_id <> all (v_chosen) returning s.pair_id
  )
  select array_agg(g.pair_id) into v_gone from gone g;
  with new as (
    insert into stream.sampled (pair_id) select c from unnest(v_chosen) c on conflict do nothing returning pair_id
  )
  select array_agg(n.pair_id) into v_new from new n;
  perform stream.append('sample', array(select stream.removed_frame(g, 'sample_changed') from unnest(v_gone) g));
  perform stream.append('sample', array(
    select stream.market_frame(r, l.read_a, l.read_b)
    from unnest(stream.rendered(stream.newest(v_new), true)) r
    left join price.latest l on l.pair_id = r.pair_id
  ));
  perform stream.append('sample', array(
    select stream.opportunity_frame('opened', w, s)
    from stream.told_windows t
    join arb.windows w on w.window_id = t.window_id
    join arb.states s on s.window_id = t.window_id and s.state_no = t.state_no
    where t.pair_id = any (v_new)
  ));
  update stream.turns set sampled_for = case when v_chosen = '{}' then '-infinity' else date_trunc('hour', clock_timestamp(), 'UTC') end;
  return cardinality(v_chosen);
end
$$;
comment on function stream.choose_sample() is 'Chooses the sample anew and tells what leaves it and what comes. Once an hour; again at once while there was nothing to choose from.';

create function stream.tell_sample() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_due price.price_update[];
  v_frames text[];
begin
  if not exists (
    select
    from stream.sampled s
    join price.latest l on l.pair_id = s.pair_id and l.frame_no is distinct from s.frame_no
    where s.told_at <= clock_timestamp() - interval '1 second'
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish', 0));
  select array_agg(f)
  into v_due
  from unnest(stream.newest(array(select s.pair_id from stream.sampled s where s.told_at <= clock_timestamp() - interval '1 second'))) f
  join stream.sampled s on s.pair_id = f.pair_id and s.frame_no is distinct from f.frame_no;
  v_frames := array(select p.json from stream.price_frames(v_due, stream.rendered(v_due, false)) p);
  update stream.sampled s
  set told_at = clock_timestamp(),
      frame_no = f.frame_no
  from unnest(v_due) f
  where s.pair_id = f.pair_id;
  perform stream.append('sample', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.tell_sample() is 'The newest price of each sampled market that has one since its last and has been silent for a second: what comes within the second is not lost, it comes at its end. Returns how many.';

create function stream.tell_feeds() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_frames text[];
begin
  if not exists (
    select from venue.feed_states() f left join stream.told_feeds t on t.venue = f.venue where t.state is distinct from f.state
  ) then
    return 0;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('stream.publish', 0));
  with moved as (
    insert into stream.told_feeds as t (venue, state)
    select f.venue, f.state
    from venue.feed_states() f
    on conflict (venue) do update
    set state = excluded.state
    where t.state <> excluded.state
    returning t.venue, t.state
  )
  select array_agg(
    '{"type":"feed","venue":"' || m.venue || '","state":"' || m.state
      || '","last_message_at":' || coalesce('"' || base.format_time(f.last_message_at) || '"', 'null') || '}'
    order by m.venue
  )
  into v_frames
  from moved m
  join venue.feeds f on f.venue = m.venue;
  perform stream.append('status', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.tell_feeds() is 'A feed frame for each venue whose feed is no longer what was told. Silence makes a feed stale and no transaction notices that, so the flush asks. Returns how many.';

revoke all on function
  stream.choose_sample(),
  stream.tell_sample(),
  stream.tell_feeds()
from public;
