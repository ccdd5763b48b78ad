-- Schema clock: market time.
-- A hosted project has no segment, so market time is real time. A replay runs on the time of its
-- recording and a simulation may run fast. Without this schema their books would look stale.

create schema clock;
revoke all on schema clock from public;
grant usage on schema clock to parallax_api, parallax_ingest;

create table clock.segments (
  real_from timestamptz primary key,
  market_from timestamptz not null,
  rate numeric not null check (rate >= 0)
);
comment on table clock.segments is
  'Segments of market time. No row means real time. Only a replay or a simulation writes rows.';
alter table clock.segments enable row level security;
alter table clock.segments force row level security;
create policy "services read the clock" on clock.segments
  for select to parallax_api, parallax_ingest
  using (true);
grant select on clock.segments to parallax_api, parallax_ingest;

-- Every request calls both functions, so they are plpgsql: its plans live as long as the session.
-- An SQL function that cannot be inlined is planned again with each statement (69 against 12
-- microseconds). clock.to_market_time runs as its owner for the same reason: a plan that depends on
-- row-level security is made again whenever the role changes, and one request uses two roles.
create function clock.to_market_time(p_real timestamptz) returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_market timestamptz;
begin
  select s.market_from + extract(epoch from p_real - s.real_from) * s.rate * interval '1 second'
  into v_market
  from clock.segments s
  where s.real_from <= p_real
  order by s.real_from desc
  limit 1;
  return coalesce(v_market, p_real);
end
$$;
comment on function clock.to_market_time(timestamptz) is
  'Market time at a real time. functions/ingest/clock.ts has the same rule in TypeScript.';

create function clock.now() returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  return clock.to_market_time(clock_timestamp());
end
$$;
comment on function clock.now() is 'Market time now. Volatile: it advances within a transaction.';

create function clock.ago(p_real interval) returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
begin
  -- Never before the first segment: earlier market time belongs to another run.
  return clock.to_market_time(greatest(
    clock_timestamp() - p_real,
    coalesce((select min(s.real_from) from clock.segments s), '-infinity')
  ));
end
$$;
comment on function clock.ago(interval) is
  'Market time p_real before now, in real time. Used to decide whether a process is still alive: '
  'processes run in real time, however fast market time runs.';

create function clock.horizon() returns timestamptz
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
begin
  return v_now + greatest(v_now - clock.ago(interval '1 minute'), interval '1 minute');
end
$$;
comment on function clock.horizon() is
  'The latest market time that another host may state: a minute ahead, because clocks differ. A '
  'later stored time was written before a clock was set back.';
grant execute on function clock.to_market_time(timestamptz), clock.now(), clock.ago(interval), clock.horizon()
to parallax_api, parallax_ingest;
