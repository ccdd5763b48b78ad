-- The step of the REST snapshot: voids prices that no worker reads, checks opportunities, renders
-- the rows and publishes the changes.

create function pipeline.void_unread_pairs() returns price.price_update[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_voided price.price_update[] := price.void_unread_pairs();
begin
  perform arb.close_opportunities(
    array(select (f).pair_id from unnest(v_voided) f), array(select (f).priced_at from unnest(v_voided) f),
    'lease.expired'
  );
  return v_voided;
end
$$;
comment on function pipeline.void_unread_pairs() is
  'Ends prices and opportunities of pairs that no worker reads, as of the end of their lease. '
  'Returns the void price updates, not yet published.';

create function pipeline.refresh_snapshot() returns timestamptz
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_step price.step_change := price.begin_step();
  v_voided price.price_update[];
  v_ended uuid[];
begin
  if v_step is null then
    return (select s.step from price.snapshot_state s);
  end if;
  v_voided := pipeline.void_unread_pairs();
  v_ended := arb.close_ineligible();
  perform arb.write_history(v_step.new_step);
  perform price.finish_step(v_step);
  -- Last: it blocks every flush until this transaction ends. Mostly there is nothing to publish.
  perform stream.publish_changes(v_ended, v_voided);
  return v_step.new_step;
end
$$;
comment on function pipeline.refresh_snapshot() is
  'Moves price.snapshot to the current step and returns it; does nothing within a step. Called by '
  'pg_cron and by every request that reads the snapshot.';

create function pipeline.ensure_snapshot() returns price.snapshot_position
language plpgsql volatile security definer
set search_path = ''
-- Every request calls this first. It reads one row when no step is due.
as $$
declare
  v_real timestamptz := clock_timestamp();
  v_market timestamptz := clock.to_market_time(v_real);
  -- Market time may run fast, slow or not at all: this is how much of it passes in the next real
  -- second.
  v_rate numeric := extract(epoch from clock.to_market_time(v_real + interval '1 second') - v_market);
  v_at record;
begin
  for v_look in 1..2 loop
    select s.step, s.version, price.step_of(t, v_market) as due, t.rest_delay, t.step as length
    into v_at
    from price.snapshot_state s
    cross join price.settings t;
    exit when v_at.step = v_at.due;
    perform pipeline.refresh_snapshot();
  end loop;
  return (
    v_at.step,
    v_at.version,
    case
      when v_rate <= 0 then extract(epoch from v_at.length) * 1000
      else least(
        extract(epoch from v_at.length) * 1000,
        greatest(extract(epoch from v_at.due + v_at.rest_delay + v_at.length - v_market) * 1000 / v_rate, 0)
      )
    end::integer
  );
end
$$;
comment on function pipeline.ensure_snapshot() is
  'Moves the snapshot to the current step (pipeline.refresh_snapshot) and returns its position. '
  'left_ms is a full step while the market clock is stopped.';

revoke all on function pipeline.void_unread_pairs(), pipeline.refresh_snapshot(), pipeline.ensure_snapshot()
from public;
grant execute on function pipeline.refresh_snapshot(), pipeline.ensure_snapshot() to parallax_api;
