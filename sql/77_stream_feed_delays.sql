-- The delay of each feed: from the time that a venue states for a change of a book to the time at
-- which ingest read it. A job samples it once a minute from the last quotes of all legs, so no
-- flush costs more.

create table stream.feed_delays (
  at timestamptz not null,
  venue venue.code not null,
  p50_ms integer not null,
  p99_ms integer not null,
  quotes integer not null,
  primary key (at, venue)
);
comment on table stream.feed_delays is
  'Once a minute: percentiles of the delay over the legs that changed within the last minute, and '
  'how many those were. Real time, kept for 25 hours.';
alter table stream.feed_delays enable row level security;
alter table stream.feed_delays force row level security;

create function stream.sample_feed_delays() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
begin
  insert into stream.feed_delays (at, venue, p50_ms, p99_ms, quotes)
  select date_trunc('minute', clock_timestamp()), d.venue, d.delays_ms[1], d.delays_ms[2], d.quotes
  from (
    select q.venue, count(*) as quotes,
           -- A clock of a venue that is ahead gives no negative delay.
           percentile_disc(array[0.5, 0.99]) within group (
             order by greatest(extract(epoch from q.read_at - q.venue_time) * 1000, 0)::integer
           ) as delays_ms
    from stream.published_quotes q
    where q.read_at > v_now - interval '1 minute'
      and q.venue_time > q.read_at - interval '1 hour'
    group by q.venue
  ) d
  on conflict (at, venue) do nothing;
  delete from stream.feed_delays d where d.at < clock_timestamp() - interval '25 hours';
end
$$;
comment on function stream.sample_feed_delays() is
  'Samples the delay of both feeds. Called by pg_cron once a minute.';
revoke all on function stream.sample_feed_delays() from public;
