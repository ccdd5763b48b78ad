-- Room clock: what time it is in the markets.
-- A hosted project has no segment and market time is real time. A replay shows the recording's own time, a simulation may
-- run fast; without this room their books would be judged against a present that they never knew.

create schema clock;
revoke all on schema clock from public;
grant usage on schema clock to parallax_api, parallax_ingest;

create table clock.segments (
  real_from timestamptz primary key,
  market_from timestamptz not null,
  rate numeric not null check (rate >= 0)
);
comment on table clock.segments is 'Stretches of market time; none means real time. Written by the start of a replay or simulation only.';
alter table clock.segments enable row level security;
alter table clock.segments force row level security;
create policy "services read the clock" on clock.segments
  for select to parallax_api, parallax_ingest
  using (true);
grant select on clock.segments to parallax_api, parallax_ingest;

-- Both are plpgsql because they stand in every request: its plans live as long as the session, those of a function in SQL that
-- cannot be inlined are made anew with each statement (69 against 12 microseconds). clock.to_market_time runs as its owner for the same reason: a
-- plan that row-level security had a part in is made anew whenever the role changes, and one request asks as two.
create function clock.to_market_time(p_real timestamptz) returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_shown timestamptz;
begin
  select s.market_from + extract(epoch from p_real - s.real_from) * s.rate * interval '1 second'
  into v_shown
  from clock.segments s
  where s.real_from <= p_real
  order by s.real_from desc
  limit 1;
  return coalesce(v_shown, p_real);
end
$$;
comment on function clock.to_market_time(timestamptz) is 'Market time at a real time. The same rule in TypeScript: functions/ingest/clock.ts.';

create function clock.now() returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  return clock.to_market_time(clock_timestamp());
end
$$;
comment on function clock.now() is 'Market time now. Volatile: it moves within a transaction.';

create function clock.ago(p_real interval) returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Not before the clock began: what it showed then was another run's time.
  return clock.to_market_time(greatest(
    clock_timestamp() - p_real,
    coalesce((select min(s.real_from) from clock.segments s), '-infinity')
  ));
end
$$;
comment on function clock.ago(interval) is
  'What market time was so long ago by a real clock. For judging whether somebody still answers: processes live in real time, however fast the market runs.';

grant execute on function clock.to_market_time(timestamptz), clock.now(), clock.ago(interval) to parallax_api, parallax_ingest;
