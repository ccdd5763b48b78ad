-- Takes the census once an hour: counts, renders the body of GET /v2/coverage, and stores it.

create function census.rebuild() returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_number bigint;
begin
  perform census.count_series(v_now);
  with fixtures as materialized (
    select * from census.count_fixtures()
  ), rows as (
    select s.*, coalesce(f.fixtures, 0) as fixtures
    from census.series s
    left join fixtures f on f.sport = s.sport
  )
  insert into census.reports as r (report_no, as_of, body)
  -- row_to_json writes no spaces, json_build_object does: 100 kB for 4,000 series.
  select 1, v_now,
         '{"as_of":"' || base.format_time(v_now) || '","counts":{' || (
           select string_agg(
             '"' || w.status || '":' || (select count(*) from rows s where s.status = w.status), ',' order by w.n
           )
           from unnest(array['aggregated', 'pending', 'quiet', 'venue_a_only', 'dormant']) with ordinality w(status, n)
         ) || '},"series":[' || coalesce(
           (
             select string_agg(row_to_json(x)::text, ',' order by x.series_ticker collate "C")
             from (
               select s.series_id as series_ticker, s.league, s.sport, s.wired_at is not null as wired, s.status,
                      s.open_events as venue_a_open_events, s.paired, s.fixtures as sport_venue_b_fixtures,
                      base.format_time(s.last_pass_at) as last_pass_at
               from rows s
             ) x
           ),
           ''
         ) || '],"venue_b_unpaired":[' || coalesce(
           (
             select string_agg(row_to_json(x)::text, ',' order by x.sport collate "C")
             from (
               select f.sport, f.fixtures, f.paired, f.fixtures - f.paired as unpaired
               from fixtures f
             ) x
           ),
           ''
         ) || '],' || census.render_events(v_now) || '}'
  on conflict (singleton) do update
  set report_no = r.report_no + 1,
      as_of = excluded.as_of,
      body = excluded.body
  returning r.report_no into v_number;
  return v_number;
end
$$;
comment on function census.rebuild() is 'Takes the census now and returns its number.';

create function census.rebuild_if_due() returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_as_of timestamptz := (select r.as_of from census.reports r);
  v_now timestamptz := clock.now();
begin
  -- A census younger than an hour stays, unless the market clock was set back before it.
  if v_as_of <= v_now and v_as_of > v_now - interval '1 hour' then
    return null;
  end if;
  -- An unfinished sweep would count unread series as dormant.
  if 2 > (select count(*) from venue.sweeps s where s.finished_at is not null or s.sweep > 1)
    or not exists (select from catalog.match_passes p where p.finished_at is not null)
    or not pg_try_advisory_xact_lock(hashtextextended('census', 0)) then
    return null;
  end if;
  return census.rebuild();
end
$$;
comment on function census.rebuild_if_due() is
  'Takes the census when the last one is an hour old (market time), after a full sweep and match '
  'pass. Returns its number, or null. Called by pg_cron.';

revoke all on function
  census.rebuild(),
  census.rebuild_if_due()
from public;
