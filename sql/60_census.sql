-- Schema census: once an hour, which series of venue_a are paired, supported, or unknown.

create schema census;
revoke all on schema census from public;
grant usage on schema census to parallax_api;

create domain census.status as text check (value in ('aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant'));
comment on domain census.status is
  'aggregated: paired; pending: supported, without a counterpart or confirmation; quiet: '
  'supported, nothing open; venue_a_only: open, not supported; dormant: neither.';

create table census.series (
  series_id text primary key,
  league text,
  sport text,
  wired_at timestamptz,
  last_pass_at timestamptz,
  open_events integer not null default 0,
  paired integer not null default 0,
  status census.status not null
);
comment on table census.series is
  'Each series of venue_a at the last census. A series stays known after its listings are purged, '
  'so an off-season is quiet and not dormant.';
comment on column census.series.wired_at is
  'The first census at which a parser had read a question of it that may be paired; null: never.';
comment on column census.series.last_pass_at is
  'The newest match pass before the census that read a listing of it.';

create table census.reports (
  singleton boolean primary key default true check (singleton),
  report_no bigint not null,
  as_of timestamptz not null,
  body text not null
);
comment on table census.reports is 'The current census as JSON. No row before the first one.';

alter table census.series enable row level security;
alter table census.series force row level security;
alter table census.reports enable row level security;
alter table census.reports force row level security;
create policy "the api reads the census" on census.reports for select to parallax_api using (true);
grant select on census.reports to parallax_api;

create function census.count_series(p_now timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  with listed as (
    select s.series_id
    from venue.series s
    where s.venue = 'venue_a'
    union
    select e.series_id
    from venue.events e
    where e.venue = 'venue_a' and e.series_id is not null
    union
    select s.series_id
    from census.series s
  ), read as (
    select e.series_id,
           mode() within group (order by q.competition) as league,
           mode() within group (order by q.sport) as sport,
           -- A placeholder or a contradictory listing is the fault of that listing. A name that the
           -- registry lacks, or a part of a game, means that this kind is not supported.
           bool_or(
             q.family in (select f.family from catalog.market_families() f)
             and coalesce(q.excluded_reason, '') not in ('unknown_alias', 'part_of_game')
           ) as wired
    from venue.questions q
    join venue.events e on e.venue = q.venue and e.event_id = q.event_id
    where q.venue = 'venue_a'
      and e.series_id is not null
    group by e.series_id
  ), open_events as (
    select e.series_id, count(*) as events
    from venue.events e
    where e.venue = 'venue_a'
      and exists (
        select
        from venue.markets m
        where m.venue = e.venue and m.event_id = e.event_id and m.state in ('trading', 'paused')
      )
    group by e.series_id
  ), paired as (
    select e.series_id, count(*) as pairs
    from catalog.pairs p
    join venue.events e on e.venue = 'venue_a' and e.event_id = p.event_a
    where p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.status in ('open', 'live', 'resolving')
    group by e.series_id
  ), known as (
    select l.series_id, coalesce(r.league, s.league) as league, coalesce(r.sport, s.sport) as sport,
           coalesce(s.wired_at, case when r.wired then p_now end) as wired_at,
           case
             when r.wired then (select max(p.finished_at) from catalog.match_passes p)
             else s.last_pass_at
           end as last_pass_at,
           coalesce(o.events, 0)::integer as open_events, coalesce(p.pairs, 0)::integer as paired
    from listed l
    left join census.series s on s.series_id = l.series_id
    left join read r on r.series_id = l.series_id
    left join open_events o on o.series_id = l.series_id
    left join paired p on p.series_id = l.series_id
  )
  insert into census.series as s (series_id, league, sport, wired_at, last_pass_at, open_events, paired, status)
  select k.*,
         case
           when k.paired > 0 then 'aggregated'
           when k.wired_at is not null and k.open_events > 0 then 'pending'
           when k.wired_at is not null then 'quiet'
           when k.open_events > 0 then 'venue_a_only'
           else 'dormant'
         end
  from known k
  on conflict (series_id) do update
  set league = excluded.league,
      sport = excluded.sport,
      wired_at = excluded.wired_at,
      last_pass_at = excluded.last_pass_at,
      open_events = excluded.open_events,
      paired = excluded.paired,
      status = excluded.status
  where to_jsonb(s) is distinct from to_jsonb(excluded)
$$;
comment on function census.count_series(timestamptz) is
  'Part of census.rebuild: every series of venue_a, in one statement.';

create function census.count_fixtures() returns table (sport text, fixtures integer, paired integer)
language sql stable
set search_path = ''
as $$
  select q.sport, count(*)::integer,
         count(*) filter (
           where exists (
             select
             from catalog.pairs p
             where p.question_b = q.question_id and p.withdrawn_at is null and p.stage = 'catalog'
           )
         )::integer
  from venue.questions q
  where q.venue = 'venue_b'
    and q.family = 'moneyline'
    and q.excluded_reason is null
    and q.sport is not null
    and exists (
      select
      from venue.markets m
      where m.venue = q.venue and m.event_id = q.event_id and m.state in ('unopened', 'trading', 'paused')
    )
  group by q.sport
$$;
comment on function census.count_fixtures() is
  'Current games of venue_b by sport, and how many have a counterpart. Only the moneyline of a '
  'game counts.';

revoke all on function
  census.count_series(timestamptz),
  census.count_fixtures()
from public;
