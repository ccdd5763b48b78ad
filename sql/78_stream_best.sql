-- The best quote of each outcome across both venues after taker fees, as it changes: channel
-- best:all. ingest calls stream.publish_best once a second next to its flushes, which would be
-- slower with it, and pg_cron every five seconds. A limited call of ingest has no CPU for it.

create table stream.published_best (
  pair_id uuid primary key,
  update_no bigint,
  change_no bigint not null,
  quotes text not null,
  edge_pct numeric,
  priced_at timestamptz,
  read_a timestamptz,
  read_b timestamptz,
  compared_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table stream.published_best is
  'The best quotes of each market of markets:all as they were last published.';
comment on column stream.published_best.update_no is
  'The price update with which quotes was last compared; change_no the same of the pair.';
comment on column stream.published_best.quotes is
  'The JSON of price.best_quotes_of; [] without prices. Times and edge_pct are those of its frame.';
comment on column stream.published_best.compared_at is
  'Real time of the comparison: at least one a minute, because a fee may change.';
alter table stream.published_best enable row level security;
alter table stream.published_best force row level security;

-- Not in stream.flush_state: a call would hold that row, and stream.broadcast_pending would wait.
create table stream.best_state (
  singleton boolean primary key default true check (singleton),
  compared_at timestamptz not null default '-infinity'
) with (fillfactor = 50);
comment on table stream.best_state is
  'One row: when stream.publish_best last compared. Several workers may call it each second.';
insert into stream.best_state (singleton) values (true) on conflict do nothing;
alter table stream.best_state enable row level security;
alter table stream.best_state force row level security;

create view stream.best_markets
with (security_invoker = true)
as
select t.pair_id, t.change_no
from stream.published_markets t
where t.channel = 'markets:all'
  and t.status in ('open', 'live', 'resolving');
comment on view stream.best_markets is
  'The markets of channel best:all: those of markets:all that are not over.';

create function stream.best_json(p_best stream.published_best, p_void_reason text) returns text
language sql stable parallel safe
-- An expression that the planner inlines, with the times formatted in place as in
-- stream.price_frames.
return '{"type":"best","id":"mkt_' || (p_best).pair_id
  || '","priced_at":'
  || coalesce(to_char((p_best).priced_at at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
  || ',"books_read_at":{"venue_a":'
  || coalesce(to_char((p_best).read_a at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
  || ',"venue_b":'
  || coalesce(to_char((p_best).read_b at time zone 'UTC', '"\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\""'), 'null')
  || '}' || price.best_fields((p_best).quotes, (p_best).edge_pct)
  || case when p_void_reason is null then '' else ',"void":' || to_json(p_void_reason)::text end
  || '}';
comment on function stream.best_json(stream.published_best, text) is
  'A best frame. void is a field only where the market has lost its prices for that reason.';

create function stream.due_best_pairs(p_limit integer) returns setof uuid
language sql stable
set search_path = ''
-- Times are compared in place: base.is_within for each market took longer than all the rest.
as $$
  select m.pair_id
  from (select clock_timestamp() as now offset 0) t
  cross join stream.best_markets m
  left join price.latest_updates l on l.pair_id = m.pair_id
  left join stream.published_best b on b.pair_id = m.pair_id
  where b.pair_id is null
    -- Later than now: the clock was set back.
    or b.compared_at not between t.now - interval '1 minute' and t.now
    or (b.update_no, b.change_no) is distinct from (l.update_no, m.change_no)
  order by b.compared_at nulls first, m.pair_id
  limit p_limit
$$;
comment on function stream.due_best_pairs(integer) is
  'Markets whose best quotes may have changed since they were compared, the longest wait first.';

create function stream.changed_best_frames(p_pairs uuid[]) returns setof text
language sql volatile
set search_path = ''
as $$
  with updates as materialized (
    select stream.latest_updates_of(p_pairs) as u
  ), present as materialized (
    select u.pair_id, u.update_no, m.change_no, coalesce(q.quotes, '[]') as quotes, q.edge_pct, u.priced_at, u.read_a,
           u.read_b, u.void_reason, b.pair_id is not null as known,
           (coalesce(b.quotes, '[]'), b.edge_pct) is distinct from (coalesce(q.quotes, '[]'), q.edge_pct) as changed
    from updates x
    cross join lateral unnest(x.u) u
    join stream.best_markets m on m.pair_id = u.pair_id
    left join price.best_quotes_of(x.u) q on q.for_pair = u.pair_id
    left join stream.published_best b on b.pair_id = u.pair_id
  ), written as (
    insert into stream.published_best as t (
      pair_id, update_no, change_no, quotes, edge_pct, priced_at, read_a, read_b
    )
    select n.pair_id, n.update_no, n.change_no, n.quotes, n.edge_pct, n.priced_at, n.read_a, n.read_b
    from present n
    where n.changed
      or not n.known
    on conflict (pair_id) do update
    set update_no = excluded.update_no,
        change_no = excluded.change_no,
        quotes = excluded.quotes,
        edge_pct = excluded.edge_pct,
        priced_at = excluded.priced_at,
        read_a = excluded.read_a,
        read_b = excluded.read_b,
        compared_at = excluded.compared_at
    returning t.*
  ), compared as (
    update stream.published_best t
    set update_no = n.update_no,
        change_no = n.change_no,
        compared_at = clock_timestamp()
    from present n
    where t.pair_id = n.pair_id
      and n.known
      and not n.changed
  )
  select stream.best_json(row(w.*)::stream.published_best, n.void_reason)
  from written w
  join present n on n.pair_id = w.pair_id
  where n.changed
  order by w.priced_at, w.pair_id
$$;
comment on function stream.changed_best_frames(uuid[]) is
  'Compares the best quotes of these markets with the published ones, and returns a frame for '
  'each that changed.';

create function stream.closing_best_frames() returns setof text
language sql volatile
set search_path = ''
as $$
  with gone as (
    delete from stream.published_best b
    where not exists (select from stream.best_markets m where m.pair_id = b.pair_id)
    returning b.*
  )
  select stream.best_json(
    row(g.pair_id, g.update_no, g.change_no, '[]', null, g.priced_at, g.read_a, g.read_b, g.compared_at)
      ::stream.published_best,
    coalesce(stream.end_reason(p.status, p.withdrawn_at), 'band.candidate')
  )
  from gone g
  left join catalog.pairs p on p.pair_id = g.pair_id
  where g.quotes <> '[]'
  order by g.pair_id
$$;
comment on function stream.closing_best_frames() is
  'A frame without quotes for each market that was quoted and is over, withdrawn or a candidate.';

create function stream.publish_best() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- The others follow in the next second.
  v_most_pairs constant integer := 1000;
  v_frames text[];
begin
  -- Only here is best:all written. A second caller, or one within the same second, has nothing to
  -- add.
  if exists (select from stream.best_state s where base.is_within(s.compared_at, interval '0.9 seconds'))
    or not pg_try_advisory_xact_lock(hashtextextended('stream.publish_best', 0))
  then
    return 0;
  end if;
  update stream.best_state set compared_at = clock_timestamp();
  v_frames := array(select f from stream.closing_best_frames() f)
    || array(select f from stream.changed_best_frames(array(select d from stream.due_best_pairs(v_most_pairs) d)) f);
  perform stream.append_publication('best:all', v_frames);
  return cardinality(v_frames);
end
$$;
comment on function stream.publish_best() is
  'Publishes the best quotes that changed, at most one frame a second for each market. Returns '
  'the number of frames.';

revoke all on function
  stream.best_json(stream.published_best, text),
  stream.due_best_pairs(integer),
  stream.changed_best_frames(uuid[]),
  stream.closing_best_frames(),
  stream.publish_best()
from public;
grant execute on function stream.publish_best() to parallax_ingest;
