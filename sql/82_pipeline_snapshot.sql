-- The step of the REST snapshot: prices without a reader end, opportunities are checked, the rows are rendered, the changes are published.

create function pipeline.void_unread_pairs() returns price.price_update[]
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_voided price.price_update[] := price.void_unread_pairs();
begin
  perform arb.close_opportunities(
    array(select (f).pair_id from unnest(v_voided) f), array(select (f).priced_at from unnest(v_voided) f), 'lease.expired'
  );
  return v_voided;
end
$$;
comment on function pipeline.void_unread_pairs() is 'Ends the prices and the opportunities of pairs that no worker reads, as of the end of their lease. Returns the void frames, which are not published yet.';

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
  perform price.finish_step(v_step);
  -- Last, since it holds up every flush until this transaction ends; mostly there is nothing to publish.
  perform stream.publish_changes(v_ended, v_voided);
  return v_step.new_step;
end
$$;
comment on function pipeline.refresh_snapshot() is
  'Brings price.snapshot to the step of now and returns the step; it does nothing within a step. Every request that reads the snapshot and pg_cron call it.';

create function pipeline.ensure_snapshot() returns price.snapshot_position
language plpgsql volatile security definer
set search_path = ''
-- Every request asks this first: one look where nothing is due.
as $$
declare
  v_real timestamptz := clock_timestamp();
  v_shown timestamptz := clock.to_market_time(v_real);
  -- Market time may run fast, slow or not at all: how much of it passes in the next real second is its rate here.
  v_rate numeric := extract(epoch from clock.to_market_time(v_real + interval '1 second') - v_shown);
  v_at record;
begin
  for v_look in 1..2 loop
    select s.step, s.version, price.step_of(t, v_shown) as due, t.rest_delay, t.step as length
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
        greatest(extract(epoch from v_at.due + v_at.rest_delay + v_at.length - v_shown) * 1000 / v_rate, 0)
      )
    end::integer
  );
end
$$;
comment on function pipeline.ensure_snapshot() is
  'Brings the snapshot to the step of now (pipeline.refresh_snapshot) and says where it stands. left_ms is a whole step where the market clock stands still.';

revoke all on function pipeline.void_unread_pairs(), pipeline.refresh_snapshot(), pipeline.ensure_snapshot() from public;
grant execute on function pipeline.refresh_snapshot(), pipeline.ensure_snapshot() to parallax_api;
