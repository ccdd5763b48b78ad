-- Schema base: helpers that every other schema may use.

create schema base;
revoke all on schema base from public;
grant usage on schema base to parallax_api, authenticated;
comment on schema base is
  'Helpers for every other schema: the request id, times on the wire, calls to Edge Functions.';

create function base.current_request_id() returns text
language sql stable parallel restricted
set search_path = ''
as $$ select substring(current_query() from '^/\* request_id=([A-Za-z0-9._:-]{1,128}) \*/') $$;
comment on function base.current_request_id() is
  'The request id from the leading comment of the statement '
  '(functions/_shared/http/request_id.ts). Null without one. A caller may have chosen it.';
revoke all on function base.current_request_id() from public;

create function base.format_time(p_at timestamptz) returns text
language plpgsql stable parallel safe
set search_path = ''
as $$
begin
  return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');
end
$$;
comment on function base.format_time(timestamptz) is
  'Formats a time for the wire: 2026-11-20T05:14:50.370Z. No other format is used there.';
grant execute on function base.format_time(timestamptz) to parallax_api, authenticated;

create function base.strip_invisible(p_text text) returns text
language sql immutable parallel safe
set search_path = ''
-- Controls, every format character of Unicode 16 (category Cf: zero-width, soft hyphen, marks that
-- turn the direction of the text around, tags), line and paragraph separators, and fillers.
as $$
  select regexp_replace(
    p_text,
    '[\u0001-\u001F\u007F-\u009F\u00AD\u034F\u0600-\u0605\u061C\u06DD\u070F\u0890\u0891\u08E2\u115F\u1160'
      || '\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB'
      || '\U000110BD\U000110CD\U00013430-\U0001343F\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
      || '\U000E0001\U000E0020-\U000E007F]',
    '', 'g'
  )
$$;
comment on function base.strip_invisible(text) is
  'A text without characters that nothing displays or that make it read as another. Names of '
  'people may have none of them; an emoji that is joined by U+200D is refused with them.';
revoke all on function base.strip_invisible(text) from public;

-- Clocks step back: a host is replaced, or time synchronization corrects it. What was stored before
-- then lies in the future. docs/clocks.md lists each comparison of a stored time with now. The
-- same comparison is written out where a query makes it for thousands of rows.
create function base.is_over(p_until timestamptz, p_longest interval) returns boolean
language plpgsql volatile parallel safe
set search_path = ''
as $$
begin
  return p_until not between clock_timestamp() and clock_timestamp() + p_longest;
end
$$;
comment on function base.is_over(timestamptz, interval) is
  'Whether a lease, a ticket or a wait until p_until is over: it has passed, or it is further '
  'ahead than its longest length, because the clock was set back.';

create function base.is_within(p_at timestamptz, p_length interval) returns boolean
language plpgsql volatile parallel safe
set search_path = ''
as $$
begin
  return p_at between clock_timestamp() - p_length and clock_timestamp();
end
$$;
comment on function base.is_within(timestamptz, interval) is
  'Whether p_at is in the last p_length. A time in the future is not: the clock was set back.';
revoke all on function base.is_over(timestamptz, interval), base.is_within(timestamptz, interval) from public;

create function base.call_edge_function(p_name text, p_body jsonb default '{}') returns bigint
language plpgsql volatile
set search_path = ''
as $$
declare
  v_url text;
  v_secret text;
  v_request bigint;
begin
  if p_name !~ '^[a-z][a-z0-9-]*$' then
    raise exception 'no function can be called "%"', p_name using errcode = '22023';
  end if;
  select s.decrypted_secret into v_url from vault.decrypted_secrets s where s.name = 'project_url';
  select s.decrypted_secret into v_secret from vault.decrypted_secrets s where s.name = 'cron_key';
  if v_url is null or v_secret is null then
    raise exception 'the Vault lacks %: functions cannot be called',
      case when v_url is null then 'project_url' else 'cron_key' end
      using errcode = '55000',
      hint = 'select vault.create_secret(''https://<project>.supabase.co'', ''project_url''); and the value of '
             'CRON_KEY as cron_key.';
  end if;
  -- The timeout covers the network only. The Edge Function goes on after pg_net stops waiting.
  select net.http_post(
    url := rtrim(v_url, '/') || '/functions/v1/' || p_name,
    body := p_body,
    headers := jsonb_build_object('Content-Type', 'application/json', 'x-cron-key', v_secret),
    timeout_milliseconds := 5000
  )
  into v_request;
  return v_request;
end
$$;
comment on function base.call_edge_function(text, jsonb) is
  'Posts p_body to an Edge Function with CRON_KEY in x-cron-key. pg_net sends it after the '
  'commit. Returns the request id (net._http_response).';
revoke all on function base.call_edge_function(text, jsonb) from public;
