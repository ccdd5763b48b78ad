-- Former states of the snapshot, for as long as a cursor works. Paging through a list keeps the
-- order and the rows of the snapshot in which it began, while the snapshot moves on. Each step
-- stores the former sort and filter columns of the rows that it changes. A paging that began at
-- change_no w reads, for each pair, its first former row that was replaced after w, or else the row
-- of price.snapshot.
--
-- Rejected: a keyset on the current spread_pts lost 19 to 27 rows of 500 in a paging over 12 steps.
-- A table with the ordered ids of each paging would let a caller fill it with pagings that never
-- finish. This costs the same for one caller or a thousand.

alter table price.settings add column keep_walks interval not null default interval '150 seconds'
  check (keep_walks >= interval '2 minutes');
comment on column price.settings.keep_walks is
  'Real time for which a cursor works after the step that ends the snapshot in which its paging '
  'began. The contract promises two minutes.';

create table price.past_steps (
  change_no bigint primary key,
  ended_at timestamptz not null
);
comment on table price.past_steps is
  'Former states of the snapshot in which a paging may have begun: '
  'price.snapshot_state.change_no, and when (real time) the next step ended it.';

create table price.past_rows (
  until_change_no bigint not null,
  pair_id uuid not null,
  like price.filter_columns,
  primary key (until_change_no, pair_id)
);
comment on table price.past_rows is
  'Former sort and filter columns of each row of price.snapshot that a step changed, added or '
  'removed. stage is null when the pair was not in the snapshot.';
comment on column price.past_rows.until_change_no is
  'The price.snapshot_state.change_no of the step that replaced these values.';

alter table price.past_steps enable row level security;
alter table price.past_steps force row level security;
alter table price.past_rows enable row level security;
alter table price.past_rows force row level security;
create policy "the api reads past steps" on price.past_steps for select to parallax_api using (true);
create policy "the api reads past rows" on price.past_rows for select to parallax_api using (true);
grant select on price.past_steps, price.past_rows to parallax_api;

create function price.end_step(p_change_no bigint) returns void
language sql volatile
set search_path = ''
as $$
  with over as (
    delete from price.past_steps p
    where not base.is_within(p.ended_at, (select s.keep_walks from price.settings s))
    returning p.change_no
  )
  -- A paging that began at w needs the rows that were replaced after w, so w + 1 at the earliest.
  delete from price.past_rows r
  where r.until_change_no <= (select max(o.change_no) + 1 from over o);

  insert into price.past_steps (change_no, ended_at) values (p_change_no, clock_timestamp());
$$;
comment on function price.end_step(bigint) is
  'Part of price.begin_step: keeps the state of this change_no for the pagings that began in it, '
  'and deletes those that are too old.';

create function price.is_cursor_valid(p_change_no bigint) returns boolean
language sql stable
set search_path = ''
as $$
  select exists (select from price.snapshot_state s where s.change_no = p_change_no)
    or exists (
      select
      from price.past_steps p
      where p.change_no = p_change_no
        and p.ended_at between clock_timestamp() - (select s.keep_walks from price.settings s) and clock_timestamp()
    )
$$;
comment on function price.is_cursor_valid(bigint) is
  'Whether a paging that began at this price.snapshot_state.change_no can continue.';

revoke all on function price.end_step(bigint) from public;
grant execute on function price.is_cursor_valid(bigint) to parallax_api;
