-- The webhook event opportunity.opened. It fires when an opportunity is served for the first time,
-- which is nearly always its opened frame on the stream (arb.record_served), in that transaction.

create function pipeline.fire_opportunity_opened() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_edge_pct numeric;
  v_profit_usd numeric := trim_scale((new.promised - new.total_cost) / 1000000.0);
  v_state arb.opportunity_states;
  v_pair catalog.pairs;
  v_opportunity json;
begin
  select s.* into v_state
  from arb.opportunity_states s
  where s.opportunity_id = new.opportunity_id
    and s.size = new.size
    and s.total_cost = new.total_cost
  order by s.state_no desc
  limit 1;
  v_edge_pct := trim_scale((1000000 - v_state.cost) / 10000.0);
  if not webhook.wants_opportunity(v_edge_pct, v_profit_usd) then
    return null;
  end if;
  select p.* into v_pair from catalog.pairs p where p.pair_id = new.pair_id;
  -- An assignment and not part of a query: Postgres then plans the function once a transaction.
  v_opportunity := arb.opportunity_json(v_pair, new.opportunity_id, new.opened_at, v_state);
  perform webhook.fire_opportunity_opened(
    new.pair_id,
    v_opportunity,
    v_edge_pct,
    v_profit_usd,
    -- The plans whose stream has opportunities.
    array(select e.tier from stream.entitlements e where e.channel = 'markets:all' order by e.tier)
  );
  return null;
end
$$;
comment on function pipeline.fire_opportunity_opened() is
  'Trigger: fires opportunity.opened with the terms of the first service, if an endpoint asks for '
  'an opportunity like this one.';
create trigger fire_opportunity_opened after insert on arb.track_records
  for each row execute function pipeline.fire_opportunity_opened();
revoke all on function pipeline.fire_opportunity_opened() from public;
