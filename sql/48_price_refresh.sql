-- A step moves the snapshot from one state to the next.

create function price.render_step(p_old timestamptz, p_new timestamptz, p_change_no bigint) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows integer;
begin
  with gone as (
    delete from price.snapshot_rows s
    where not exists (
      select from catalog.pairs p where p.pair_id = s.pair_id and p.withdrawn_at is null
    )
    returning s.pair_id, row(s.*)::price.snapshot as removed
  ), kept as (
    insert into price.past_rows
    select p_change_no, x.pair_id, (x.former).*
    from (select g.pair_id, price.filter_columns_of(g.removed) as former from gone g offset 0) x
  ), unlisted as (
    delete from price.venue_ids v
    using gone g
    where v.pair_id = g.pair_id
  )
  delete from price.search_texts t
  using gone g
  where t.pair_id = g.pair_id;

  with seen as (
    delete from price.late_updates l returning l.pair_id
  ), late as (
    select distinct s.pair_id from seen s
  ), moved as (
    select distinct on (f.pair_id) f.pair_id, row(f.*)::price.price_update as price
    from price.updates f
    where f.priced_at > p_old
      and f.priced_at <= p_new
    order by f.pair_id, f.priced_at desc, f.update_no desc
  ), touched as materialized (
    -- Identity is compared row by row, not by the highest change_no: two transactions may commit in
    -- another order than their numbers.
    select p.pair_id, s.change_no is distinct from p.change_no as fresh,
           case
             when q.pair_id is not null then 'late'
             when m.pair_id is not null then 'moved'
             when s.pair_id is not null then 'kept'
             else 'entering'
           end as price_from
    from catalog.pairs p
    left join price.snapshot s on s.pair_id = p.pair_id
    left join moved m on m.pair_id = p.pair_id
    left join late q on q.pair_id = p.pair_id
    where p.withdrawn_at is null
      and (
        s.change_no is distinct from p.change_no
        or m.pair_id is not null
        or q.pair_id is not null
      )
  ), priced as (
    select t.pair_id, t.fresh, m.price
    from touched t
    join moved m on m.pair_id = t.pair_id
    where t.price_from = 'moved'
    union all
    select t.pair_id, t.fresh, s.price_update
    from touched t
    join price.snapshot s on s.pair_id = t.pair_id
    where t.price_from = 'kept'
    union all
    -- A pair that enters, or that has a late update, gets the last update up to the step. It may be
    -- older than what price.updates still keeps.
    select t.pair_id, t.fresh, b.price
    from touched t
    left join lateral (
      select e.price
      from (
        (
          select row(f.*)::price.price_update as price
          from price.updates f
          where f.pair_id = t.pair_id
            and f.priced_at <= p_new
          order by f.priced_at desc, f.update_no desc
          limit 1
        )
        union all
        select row(l.*)::price.price_update
        from price.latest_updates l
        where l.pair_id = t.pair_id
          and l.priced_at <= p_new
      ) e
      order by (e.price).priced_at desc, (e.price).update_no desc
      limit 1
    ) b on true
    where t.price_from in ('entering', 'late')
  ), searched as (
    insert into price.search_texts as x
    select n.*
    from price.search_texts_of(array(select t.pair_id from touched t where t.fresh)) n
    on conflict (pair_id) do update
    set title = excluded.title,
        names = excluded.names,
        ids = excluded.ids,
        outcomes = excluded.outcomes
    -- A status change does not change these texts, so it need not write the index.
    where (x.title, x.names, x.ids, x.outcomes)
      is distinct from (excluded.title, excluded.names, excluded.ids, excluded.outcomes)
  ), named as materialized (
    select n.*
    from price.venue_ids_of(array(select t.pair_id from touched t where t.fresh)) n
  ), unlisted as (
    delete from price.venue_ids v
    using touched t
    where t.fresh
      and v.pair_id = t.pair_id
      and not exists (select from named n where n = v)
  ), listed as (
    -- Most changes of an identity change none of these ids.
    insert into price.venue_ids
    select n.*
    from named n
    on conflict do nothing
  ), rendered as materialized (
    select r.pair_id, r as rendered
    from price.render_rows(
      array(
        select row(f.pair_id, f.fresh, f.price, true, p_new)::price.render_input
        from priced f
      )
    ) r
  ), kept as (
    -- Every part of this statement sees price.snapshot_rows as it was before.
    insert into price.past_rows
    select p_change_no, x.pair_id, (x.former).*
    from (
      select r.pair_id, price.filter_columns_of(s) as former, price.filter_columns_of(r.rendered) as present
      from rendered r
      left join price.snapshot s on s.pair_id = r.pair_id
      -- Computed once for a row, not once for each column.
      offset 0
    ) x
    where x.former is distinct from x.present
  )
  insert into price.snapshot_rows as s
  select (r.rendered).*
  from rendered r
  on conflict (pair_id) do update
  set change_no = excluded.change_no,
      stage = excluded.stage,
      band = excluded.band,
      category = excluded.category,
      market_type = excluded.market_type,
      sport = excluded.sport,
      competition = excluded.competition,
      location = excluded.location,
      asset = excluded.asset,
      indicator = excluded.indicator,
      basis = excluded.basis,
      institution = excluded.institution,
      status = excluded.status,
      signal = excluded.signal,
      spread_pts = excluded.spread_pts,
      start_time = excluded.start_time,
      game_id = excluded.game_id,
      changed_at = excluded.changed_at,
      entity_confidence = excluded.entity_confidence,
      resolution_confidence = excluded.resolution_confidence,
      priced = excluded.priced,
      price_update = excluded.price_update,
      price_reason = excluded.price_reason,
      head = excluded.head,
      outcomes = excluded.outcomes,
      outcomes_depth = excluded.outcomes_depth,
      tail = excluded.tail,
      -- A mere price change does not render these, so the old value stays where it is stored.
      ids = coalesce(excluded.ids, s.ids),
      settlement = coalesce(excluded.settlement, s.settlement);
  get diagnostics v_rows = row_count;
  return v_rows;
end
$$;
comment on function price.render_step(timestamptz, timestamptz, bigint) is
  'Part of price.finish_step: renders changes of identity, prices in (p_old, p_new], and late '
  'updates. Keeps replaced values under p_change_no. Returns the number of rows.';

create type price.step_change as (old_step timestamptz, new_step timestamptz, change_no bigint, began_at timestamptz);
comment on type price.step_change is
  'A step of the REST snapshot that is being made: the old and the new step, and its change '
  'number.';

create function price.begin_step() returns price.step_change
language plpgsql volatile
set search_path = ''
as $$
declare
  v_step price.step_change;
begin
  v_step.new_step := price.step_at(clock.now());
  select s.step into v_step.old_step from price.snapshot_state s;
  if v_step.old_step >= v_step.new_step and v_step.old_step < v_step.new_step + interval '1 minute' then
    return null;
  end if;
  -- One transaction makes the step, the others wait for it. A response with an older step than its
  -- own time would break the rule of equal bytes within a step.
  perform pg_advisory_xact_lock(hashtextextended('price.refresh_snapshot', 0));
  v_step.began_at := clock_timestamp();
  select s.step, s.change_no + 1 into v_step.old_step, v_step.change_no from price.snapshot_state s;
  if v_step.old_step >= v_step.new_step and v_step.old_step < v_step.new_step + interval '1 minute' then
    return null;
  end if;
  perform price.end_step(v_step.change_no - 1);
  if v_step.old_step > v_step.new_step then
    -- The market clock was set back (another replay on the same data): these rows are in the future
    -- now, and no paging can continue.
    delete from price.snapshot_rows s;
    delete from price.past_steps p;
    delete from price.past_rows r;
    v_step.old_step := '-infinity';
  end if;
  return v_step;
end
$$;
comment on function price.begin_step() is
  'Locks the REST snapshot for a new step and ends the old one. Null when no step is due, or when '
  'another transaction has just made it.';

create function price.finish_step(p_step price.step_change) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows integer := price.render_step(p_step.old_step, p_step.new_step, p_step.change_no);
begin
  update price.snapshot_state s
  set step = p_step.new_step,
      change_no = p_step.change_no,
      rows_written = v_rows,
      render_time = clock_timestamp() - p_step.began_at;
end
$$;
comment on function price.finish_step(price.step_change) is
  'Renders the rows of a step that price.begin_step began, and moves the REST snapshot to it.';

create type price.snapshot_position as (step timestamptz, version text, left_ms integer);
comment on type price.snapshot_position is
  'The position of the REST snapshot: its step, its version, and real milliseconds until the next '
  'step begins.';
grant usage on type price.snapshot_position to parallax_api;

create function price.unpriced_row_of(p_pair_id uuid) returns setof price.snapshot
language sql stable security definer
set search_path = ''
as $$
  select r.*
  from price.render_rows(array[row(p_pair_id, true, null, true, null)::price.render_input]) r
$$;
comment on function price.unpriced_row_of(uuid) is
  'A pair that is not in the snapshot yet, with its current identity and without prices. No row '
  'when it is unknown or withdrawn.';

create function price.is_snapshot_ready() returns boolean
language sql stable
set search_path = ''
as $$
  select count(*) > 0 and count(*) filter (where s.priced) >= 0.8 * count(*)
  from catalog.pairs p
  join price.latest_updates l on l.pair_id = p.pair_id
    and l.void_reason is null
    and array_remove(l.ask_a || l.ask_b, null) <> '{}'
  left join price.snapshot s on s.pair_id = p.pair_id
  where p.withdrawn_at is null
    and p.status in ('open', 'live')
$$;
comment on function price.is_snapshot_ready() is
  'Whether at least 80 % of the open and live pairs that have a price have it in the snapshot. A '
  'start waits for this.';

revoke all on function
  price.render_step(timestamptz, timestamptz, bigint),
  price.begin_step(),
  price.finish_step(price.step_change)
from public;
grant execute on function price.unpriced_row_of(uuid) to parallax_api;
