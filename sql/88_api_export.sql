-- GET /v2/export/{day}

create function api.get_export(p_params jsonb) returns api.route_result
language plpgsql stable
set search_path = ''
as $$
declare
  v_day date := (p_params ->> 'day')::date;
  v_published_at timestamptz := (select d.published_at from export.days d where d.day = v_day);
  v_today date := (clock.now() at time zone 'UTC')::date;
  v_answer api.route_result;
begin
  if v_published_at is null
    and (v_day >= v_today or exists (select from export.slices s where s.day = v_day and not s.done)) then
    v_answer.status := 409;
    v_answer.code := 'export.not_ready';
    return v_answer;
  end if;
  if v_published_at is null or v_day < v_today - (select s.keep_days from export.settings s) then
    v_answer.status := 404;
    v_answer.code := 'export.not_found';
    return v_answer;
  end if;
  v_answer.status := 200;
  select json_build_object(
    'day', v_day,
    'published_at', base.format_time(v_published_at),
    'purged_hours',
    coalesce((select json_agg(s.hour order by s.hour) from export.slices s where s.day = v_day and s.purged), '[]'),
    'files',
    coalesce(
      json_agg(
        json_build_object(
          'dataset', f.dataset, 'format', f.format, 'name', split_part(f.path, '/', 2), 'path', f.path,
          'rows', f.row_count, 'bytes', f.bytes, 'sha256', f.sha256
        )
        order by array_position(array['updates', 'opportunities', 'pairs', 'refusals', 'verdicts'], f.dataset),
                 f.format, f.path
      ),
      '[]'
    )
  )::text
  into v_answer.body
  from (
    select p.dataset, p.row_count, x.*
    from export.parts p
    cross join lateral jsonb_to_recordset(p.files) as x (format text, path text, bytes bigint, sha256 text)
    where p.day = v_day
      and (not p_params ? 'dataset' or p_params -> 'dataset' ? p.dataset)
      and (not p_params ? 'format' or p_params -> 'format' ? x.format)
  ) f;
  return v_answer;
end
$$;
comment on function api.get_export(jsonb) is
  'The files of a day. functions/api signs their addresses. p_params: day, and the filters '
  'dataset[] and format[]. 409 before the day is published, 404 when it is not there.';
grant execute on function api.get_export(jsonb) to parallax_api;
