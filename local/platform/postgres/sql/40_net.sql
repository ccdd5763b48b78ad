-- Stand-in for pg_net 0.19: requests are queued in the caller's transaction; local/platform/jobs
-- sends them after the commit. Stricter than the platform on purpose: anon and authenticated may
-- not send requests.

create schema net;
grant usage on schema net to postgres, service_role;

create domain net.http_method as text check (lower(value) in ('get', 'post', 'delete'));

create sequence net.http_request_queue_id_seq;

-- On the platform these two are unlogged, and a crash empties them. Here a restart loses nothing,
-- because a request stays queued until it is answered.
create table net.http_request_queue (
  id bigint not null default nextval('net.http_request_queue_id_seq'),
  method net.http_method not null,
  url text not null,
  headers jsonb,
  body bytea,
  timeout_milliseconds integer not null
);
create index http_request_queue_id_idx on net.http_request_queue (id);

create table net._http_response (
  id bigint,
  status_code integer,
  content_type text,
  headers jsonb,
  content text,
  timed_out boolean,
  error_msg text,
  created timestamptz not null default now()
);
create index _http_response_id_idx on net._http_response (id);
create index _http_response_created_idx on net._http_response (created);

alter table net.http_request_queue enable row level security;
alter table net._http_response enable row level security;
create policy postgres_all on net.http_request_queue to postgres using (true) with check (true);
create policy postgres_all on net._http_response to postgres using (true) with check (true);
grant select, delete on net.http_request_queue, net._http_response to postgres;

create function net._urlencode(value text) returns text
language sql immutable
set search_path = ''
as $$
  select coalesce(pg_catalog.string_agg(
    case
      when c.letter ~ '^[A-Za-z0-9_.~-]$' then c.letter
      else pg_catalog.regexp_replace(
        pg_catalog.upper(pg_catalog.encode(pg_catalog.convert_to(c.letter, 'UTF8'), 'hex')), '(..)', '%\1', 'g')
    end, '' order by c.place), '')
  from pg_catalog.regexp_split_to_table(value, '') with ordinality c (letter, place)
$$;

create function net._encode_url_with_params(url text, params jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select url || coalesce(
    case when pg_catalog.strpos(url, '?') > 0 then '&' else '?' end
      || pg_catalog.string_agg(net._urlencode(p.key) || '=' || net._urlencode(p.value), '&' order by p.key),
    ''
  )
  from pg_catalog.jsonb_each_text(coalesce(params, '{}')) p
$$;

create function net._enqueue(method text, url text, headers jsonb, body bytea, timeout_milliseconds integer) returns bigint
language plpgsql security definer
set search_path = ''
as $$
declare
  id bigint;
begin
  insert into net.http_request_queue as q (method, url, headers, body, timeout_milliseconds)
  values (_enqueue.method, _enqueue.url, _enqueue.headers, _enqueue.body, _enqueue.timeout_milliseconds)
  returning q.id into id;
  perform pg_catalog.pg_notify('net_wake', '');
  return id;
end
$$;

create function net.http_get(
  url text,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
language sql volatile strict security definer
set search_path = ''
as $$
  select net._enqueue('GET', net._encode_url_with_params(url, params), headers, null, timeout_milliseconds)
$$;

create function net.http_post(
  url text,
  body jsonb default '{}'::jsonb,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{"Content-Type": "application/json"}'::jsonb,
  timeout_milliseconds integer default 5000
) returns bigint
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  content_type text;
begin
  select h.value into content_type
  from pg_catalog.jsonb_each_text(coalesce(headers, '{}')) h
  where pg_catalog.lower(h.key) = 'content-type'
  limit 1;
  if content_type is null then
    headers := coalesce(headers, '{}') || '{"Content-Type": "application/json"}';
  elsif content_type not like 'application/json%' then
    raise exception 'Content-Type header must be "application/json"' using errcode = '22023';
  end if;
  return net._enqueue('POST', net._encode_url_with_params(url, params), headers,
    pg_catalog.convert_to(body::text, 'UTF8'), timeout_milliseconds);
end
$$;

create function net.http_delete(
  url text,
  params jsonb default '{}'::jsonb,
  headers jsonb default '{}'::jsonb,
  timeout_milliseconds integer default 5000,
  body jsonb default null
) returns bigint
language sql volatile security definer
set search_path = ''
as $$
  select net._enqueue('DELETE', net._encode_url_with_params(url, params), headers,
    pg_catalog.convert_to(body::text, 'UTF8'), timeout_milliseconds)
$$;

revoke all on all functions in schema net from public;
grant execute on function
  net.http_get(text, jsonb, jsonb, integer),
  net.http_post(text, jsonb, jsonb, jsonb, integer),
  net.http_delete(text, jsonb, jsonb, integer, jsonb)
to postgres, service_role;
