-- The work of the function export: it claims the next part, writes its files, and records them. A
-- worker that dies leaves a claim that expires; the next one makes the same part again.

create function export.plan_day(p_day date default (clock.now() at time zone 'UTC')::date) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_from timestamptz := p_day::timestamp at time zone 'UTC';
begin
  if exists (select from export.days d where d.day = p_day) then
    return;
  end if;
  insert into export.days (day) values (p_day) on conflict do nothing;
  insert into export.slices (day, dataset, hour, from_at, until_at, due_at)
  -- The first day after an installation has hours that have been over for long.
  select p_day, s.dataset, s.hour, s.from_at, s.until_at, greatest(s.until_at + s.lag, clock.now())
  from (
    select 'updates' as dataset, h.hour, v_from + h.hour * interval '1 hour' as from_at,
           v_from + (h.hour + 1) * interval '1 hour' as until_at, t.hour_lag as lag
    from generate_series(0, 23) as h (hour)
    cross join export.settings t
    union all
    select d.dataset, 0, v_from, v_from + interval '1 day', t.day_lag
    from unnest(array['opportunities', 'pairs', 'refusals', 'verdicts']) as d (dataset)
    cross join export.settings t
  ) s
  on conflict do nothing;
end
$$;
comment on function export.plan_day(date) is
  'Adds the slices of a day, by default the current day of market time, unless they exist.';

create function export.expired_days() returns setof date
language sql stable
set search_path = ''
as $$
  select d.day
  from export.days d
  cross join export.settings s
  where d.day < (clock.now() at time zone 'UTC')::date - s.keep_days
$$;
comment on function export.expired_days() is 'Days older than export.settings.keep_days.';

create function export.wake_if_due() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform export.plan_day();
  if exists (
    select
    from export.slices s
    where not s.done
      and s.due_at <= clock.now()
      and (s.claim is null or base.is_over(s.claimed_until, interval '3 minutes'))
  )
    or exists (select from export.expired_days()) then
    perform base.call_edge_function('export');
  end if;
exception
  -- Without pg_net, the Vault or an address in it. The other work of the minute goes on.
  when others then
    raise debug 'export was not called: %', sqlerrm;
end
$$;
comment on function export.wake_if_due() is
  'pg_cron calls it each minute: calls export when a part is due or a day has expired.';

create function export.choose_verdicts(p_day date, p_until timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  insert into export.verdicts (pair_id, day)
  select p.pair_id, p_day
  from catalog.pairs p
  where p.status = 'settled'
    and p.withdrawn_at is null
    and (p.result ->> 'settled_at')::timestamptz < p_until
    -- The first day after an installation has no older ones.
    and (p.result ->> 'settled_at')::timestamptz >= p_until - interval '3 days'
  on conflict (pair_id) do nothing
$$;
comment on function export.choose_verdicts(date, timestamptz) is
  'Puts the results before p_until that are in no day yet into p_day.';

create function export.claim_part() returns table (
  claim uuid,
  day date,
  dataset text,
  path text,
  lines text,
  row_count integer,
  last_key jsonb,
  has_more boolean
)
language plpgsql volatile security definer
set search_path = ''
as $$
#variable_conflict use_column
  declare
  v_slice export.slices;
v_page export.page;
begin
  select s.*
  into v_slice
  from export.slices s
  where not s.done
    and s.due_at <= clock.now()
    and (s.claim is null or base.is_over(s.claimed_until, interval '3 minutes'))
  order by s.due_at, s.dataset, s.hour
  limit 1
  for update skip locked;
  if not found then
    return;
  end if;
  if v_slice.dataset = 'updates'
    and v_slice.from_at < date_trunc('hour', clock.now() - (select p.keep_updates from price.settings p), 'UTC') then
    -- Its partition may be gone. Rows that are left make a last part.
    v_slice.purged := true;
  end if;
  if v_slice.dataset = 'verdicts' and v_slice.last_key is null then
    perform export.choose_verdicts(v_slice.day, v_slice.until_at);
  end if;
  v_page := export.render_page(v_slice, (select t.part_rows from export.settings t));
  update export.slices s
  set claim = gen_random_uuid(),
      claimed_until = clock_timestamp() + interval '3 minutes',
      purged = v_slice.purged
  where (s.day, s.dataset, s.hour) = (v_slice.day, v_slice.dataset, v_slice.hour)
  returning s.claim
  into v_slice.claim;
  return query
  select v_slice.claim, v_slice.day, v_slice.dataset,
         v_slice.day || '/' || v_slice.dataset
           || case when v_slice.dataset = 'updates' then '-' || lpad(v_slice.hour::text, 2, '0') else '' end
           || '-' || lpad((v_slice.parts + 1)::text, 4, '0'),
         v_page.lines, v_page.row_count, v_page.last_key, v_page.has_more;
end
$$;
comment on function export.claim_part() is
  'The next part that is due: its rows, and the path of its files without the ending. No row when '
  'none is due. Another worker may claim it after three minutes.';

create function export.record_part(
  p_claim uuid, p_row_count integer, p_files jsonb, p_last_key jsonb, p_has_more boolean
) returns boolean
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_slice export.slices;
begin
  update export.slices s
  set parts = s.parts + 1,
      last_key = coalesce(p_last_key, s.last_key),
      done = not p_has_more,
      claim = null,
      claimed_until = null
  where s.claim = p_claim
  returning s.*
  into v_slice;
  if not found then
    return false;
  end if;
  insert into export.parts (day, dataset, hour, part, row_count, files)
  values (v_slice.day, v_slice.dataset, v_slice.hour, v_slice.parts, p_row_count, p_files);
  -- Two workers that record the last two parts at once: each waits for the other here.
  perform from export.days d where d.day = v_slice.day for update;
  update export.days d
  set published_at = clock_timestamp()
  where d.day = v_slice.day
    and d.published_at is null
    and not exists (select from export.slices s where s.day = v_slice.day and not s.done);
  return true;
end
$$;
comment on function export.record_part(uuid, integer, jsonb, jsonb, boolean) is
  'Records a part whose files are in Storage, and publishes the day with its last part. False '
  'when the claim is over: another worker makes this part.';

create function export.expired_files(p_limit integer default 100) returns table (day date, paths jsonb)
language sql stable security definer
set search_path = ''
as $$
  select e.day,
         coalesce(
           (
             select jsonb_agg(f.path)
             from (
               select f.path
               from export.parts p
               cross join lateral jsonb_to_recordset(p.files) as f (path text)
               where p.day = e.day
               order by f.path
               limit p_limit
             ) f
           ),
           '[]'
         )
  from export.expired_days() as e (day)
  order by e.day
  limit 1
$$;
comment on function export.expired_files(integer) is
  'Files of the oldest expired day. No row without one; no paths when its files are all forgotten.';

create function export.forget_files(p_day date, p_paths jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- Only of expired days: the function cannot withdraw another.
  if p_day not in (select e.day from export.expired_days() as e (day)) then
    return;
  end if;
  update export.days d set published_at = null where d.day = p_day;
  delete from export.parts p
  where p.day = p_day
    and exists (select from jsonb_to_recordset(p.files) as f (path text) where p_paths ? f.path);
  if not exists (select from export.parts p where p.day = p_day) then
    delete from export.days d where d.day = p_day;
  end if;
end
$$;
comment on function export.forget_files(date, jsonb) is
  'Forgets files of an expired day that are deleted from Storage, and with the last of them the '
  'day.';

revoke all on function
  export.plan_day(date),
  export.expired_days(),
  export.wake_if_due(),
  export.choose_verdicts(date, timestamptz),
  export.claim_part(),
  export.record_part(uuid, integer, jsonb, jsonb, boolean),
  export.expired_files(integer),
  export.forget_files(date, jsonb)
from public;
grant execute on function
  export.claim_part(),
  export.record_part(uuid, integer, jsonb, jsonb, boolean),
  export.expired_files(integer),
  export.forget_files(date, jsonb)
to parallax_export;
