-- The delayed snapshot that REST serves. It moves in whole steps. Within a step nothing in it
-- changes, so equal requests get equal bytes. A step renders only the rows that changed.

create type price.filter_columns as (
  stage text,
  category text,
  market_type text,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  status text,
  signal text,
  spread_pts numeric(7, 4),
  start_time timestamptz,
  game_id uuid,
  changed_at timestamptz
);
comment on type price.filter_columns is
  'The columns by which a list filters and sorts. price.snapshot has the current values, '
  'price.past_rows the former ones.';

create table price.snapshot_rows (
  pair_id uuid primary key,
  change_no bigint not null,
  stage text not null,
  band text not null,
  category text not null,
  market_type text not null,
  sport text,
  competition text,
  location text,
  asset text,
  indicator text,
  basis text,
  institution text,
  status text not null,
  signal text not null,
  spread_pts numeric(7, 4),
  start_time timestamptz not null,
  game_id uuid,
  changed_at timestamptz,
  entity_confidence numeric(4, 3) not null,
  resolution_confidence numeric(4, 3) not null,
  has_history boolean not null default false,
  priced boolean not null,
  price_update price.price_update,
  price_reason text,
  head text not null,
  outcomes text not null,
  outcomes_depth text not null,
  tail text not null,
  ids text,
  settlement text
) with (fillfactor = 70, toast_tuple_target = 4080);
comment on table price.snapshot_rows is
  'The rows of price.snapshot: columns to filter and sort by, the price update, and the JSON that '
  'was rendered when the row changed (price.market_json joins it).';
comment on column price.snapshot_rows.change_no is 'The catalog.pairs.change_no that was rendered.';
comment on column price.snapshot_rows.changed_at is
  'The step that rendered the row: what a client read before it is out of date.';
comment on column price.snapshot_rows.band is
  'catalog.pairs.band, match_band on the wire. Independent of stage: a published ladder may have '
  'the band REVIEW.';
comment on column price.snapshot_rows.priced is
  'Whether the row has prices: an update that is not void, with as many outcomes as the pair and '
  'at least one ask, in a market that still trades.';
comment on column price.snapshot_rows.price_update is
  'The update at the step, void or not; null when there is none. An identity change is rendered '
  'with it, not with price.latest_updates, which is ahead by the delay.';
comment on column price.snapshot_rows.price_reason is
  'Why gate 4 is closed, by price.judge_price; null when it is open.';
comment on column price.snapshot_rows.head is
  'JSON fields without braces: those of a Market before its outcomes.';
comment on column price.snapshot_rows.outcomes is
  'A JSON array. outcomes_depth also contains both books of each outcome.';
comment on column price.snapshot_rows.tail is
  'JSON fields without braces: those after the outcomes. ids and settlement are the fields that '
  'include=ids and include=settlement add.';

-- docs/decisions/001-snapshot-table.md explains why the view reads a table.
create view price.snapshot with (security_invoker = true) as
select r.*
from price.snapshot_rows r;
comment on view price.snapshot is
  'The delayed snapshot: each pair as REST serves it at price.snapshot_state.step.';

create function price.filter_columns_of(p_row price.snapshot) returns price.filter_columns
language plpgsql immutable
set search_path = ''
as $$
begin
  return row(
    p_row.stage, p_row.category, p_row.market_type, p_row.sport, p_row.competition, p_row.location, p_row.asset,
    p_row.indicator, p_row.basis, p_row.institution, p_row.status, p_row.signal, p_row.spread_pts, p_row.start_time,
    p_row.game_id, p_row.changed_at
  )::price.filter_columns;
end
$$;
comment on function price.filter_columns_of(price.snapshot) is
  'The filter columns of a row of the snapshot; all null without a row.';
revoke all on function price.filter_columns_of(price.snapshot) from public;

-- The two orders of the default list. No index contains spread_pts: it changes with almost every
-- update, and an index on it would turn each of those writes into a new entry in every index of the
-- row. Sorting the open rows costs less (see 85_api_markets.sql).
create index snapshot_trading on price.snapshot_rows (stage, start_time, pair_id) where status in ('open', 'live');
create index snapshot_by_start on price.snapshot_rows (stage, status, start_time, pair_id);
create index snapshot_by_game on price.snapshot_rows (game_id) where game_id is not null;

create table price.snapshot_state (
  singleton boolean primary key default true check (singleton),
  step timestamptz not null default '-infinity',
  change_no bigint not null default 0,
  version text not null generated always as (
    case when isfinite(step) then (extract(epoch from step - timestamptz 'epoch') * 1000)::bigint else 0 end::text
      || '.' || change_no::text
  ) stored,
  rows_written integer not null default 0,
  render_time interval
);
comment on table price.snapshot_state is 'The one row with the state of the snapshot.';
comment on column price.snapshot_state.step is
  'Market time of the prices in price.snapshot; -infinity before the first step.';
comment on column price.snapshot_state.change_no is 'Increases with each step.';
comment on column price.snapshot_state.version is
  'Identifies one state of the snapshot: its step, and the number of steps made, because a replay '
  'may pass the same time again.';
comment on column price.snapshot_state.rows_written is
  'Rows that the last step rendered. render_time is the time that it took.';
insert into price.snapshot_state (singleton) values (true) on conflict do nothing;

alter table price.snapshot_rows enable row level security;
alter table price.snapshot_rows force row level security;
alter table price.snapshot_state enable row level security;
alter table price.snapshot_state force row level security;
create policy "the api reads the snapshot" on price.snapshot_rows for select to parallax_api using (true);
create policy "the api reads the step" on price.snapshot_state for select to parallax_api using (true);
grant select on price.snapshot, price.snapshot_rows, price.snapshot_state to parallax_api;

-- plpgsql where every request calls a function: see 10_clock.sql.
create function price.step_of(p_settings price.settings, p_at timestamptz) returns timestamptz
language plpgsql immutable
set search_path = ''
as $$
begin
  return date_bin(p_settings.step, p_at - p_settings.rest_delay, timestamptz 'epoch');
end
$$;
comment on function price.step_of(price.settings, timestamptz) is
  'The step that REST serves at a market time under these settings: floor((p_at - rest_delay) to '
  'step), counted from the epoch in UTC.';
revoke all on function price.step_of(price.settings, timestamptz) from public;

-- Runs as its owner, so that one plan serves every role: see 10_clock.sql.
create function price.step_at(p_at timestamptz) returns timestamptz
language plpgsql stable security definer
set search_path = ''
as $$
begin
  return (select price.step_of(s, p_at) from price.settings s);
end
$$;
comment on function price.step_at(timestamptz) is 'price.step_of with the current settings.';

create function price.judge_price(p_priced boolean, p_complete boolean, p_update price.price_update) returns text
language sql immutable parallel safe
return case
  when (p_update).void_reason is not null then 'priced.' || (p_update).void_reason
  when (p_update).update_no is null then 'priced.never'
  when p_priced is not true then 'priced.not_trading'
  when p_complete is not true then 'priced.incomplete'
end;
comment on function price.judge_price(boolean, boolean, price.price_update) is
  'Gate 4: why a row has no price to trade on; null when it has one. p_priced: the row has '
  'prices; p_complete: each outcome has both asks and no crossed book.';

grant execute on function price.step_at(timestamptz) to parallax_api;
