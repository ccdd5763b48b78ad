-- Retention of history, by the day, and of the latest updates of pairs that no longer trade.
-- price.drop_old_partitions drops the price updates.

create function price.drop_old_history() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_oldest timestamptz := date_trunc('day', clock.now() - (select s.keep_history from price.settings s), 'UTC');
  v_name text;
  v_dropped integer := 0;
begin
  for v_name in
    select price.list_partitions_before(
      'hourly_history', 'hourly_history_' || to_char(v_oldest at time zone 'UTC', 'YYYYMMDD')
    )
  loop
    execute format('drop table price.%I', v_name);
    v_dropped := v_dropped + 1;
  end loop;
  -- Orders that never got a point are deleted when their pair no longer trades.
  delete from price.outcome_orders o
  where o.until is null
    and not exists (
      select
      from catalog.pairs p
      where p.pair_id = o.pair_id
        and p.withdrawn_at is null
        and p.status in ('open', 'live', 'resolving')
    );
  if v_dropped > 0 then
    delete from price.outcome_orders o where o.until < v_oldest;
    update price.sampler_state s set change_no = s.change_no + 1;
  end if;
  update price.snapshot_rows s
  set has_history = false
  from (
    select x.pair_id
    from price.snapshot_rows x
    where x.has_history
      and not exists (select from price.outcome_orders o where o.pair_id = x.pair_id and o.until is not null)
    for update skip locked
  ) gone
  where s.pair_id = gone.pair_id;
  return v_dropped;
end
$$;
comment on function price.drop_old_history() is
  'Retention: drops the days that are older than price.settings.keep_history. Returns how many.';

create function price.purge_closed_pairs(p_limit integer default 5000) returns integer
language sql volatile
set search_path = ''
as $$
  with over as (
    select l.pair_id
    from price.latest_updates l
    left join catalog.pairs p on p.pair_id = l.pair_id
    where l.priced_at < clock.now() - (select s.keep_updates from price.settings s)
      and (p.pair_id is null or p.withdrawn_at is not null or p.status in ('closed', 'settled'))
    limit p_limit
    for update of l skip locked
  ), gone_levels as (
    delete from price.book_levels b
    using over o
    where b.pair_id = o.pair_id
  ), gone as (
    delete from price.latest_updates l
    using over o
    where l.pair_id = o.pair_id
    returning 1
  )
  select count(*)::integer
  from gone
$$;
comment on function price.purge_closed_pairs(integer) is
  'Deletes the latest update and the levels of pairs that no longer trade, once it is older than '
  'price.settings.keep_updates: such a row has no prices. Returns how many.';

revoke all on function price.drop_old_history(), price.purge_closed_pairs(integer) from public;
