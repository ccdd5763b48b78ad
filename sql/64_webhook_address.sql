-- Which addresses may receive deliveries. For each attempt the sender connects to the host, port
-- and path that webhook.parse_url returns, and checks the resolved addresses with
-- webhook.filter_public_addresses. functions/api/webhook_url.ts applies the same rules at
-- registration and returns the error; a test compares the two.

create type webhook.parsed_url as (host text, port integer, target text, fault text, plain boolean);
comment on type webhook.parsed_url is
  'The parts of an address: host in lower case, IPv6 without brackets; target is path and query. '
  'fault: type of the validation error, else null. plain: the local inbox, without TLS.';

create function webhook.is_public_address(p_address inet) returns boolean
language sql immutable parallel safe
set search_path = ''
-- IANA special-purpose registries, 2026-11. IPv4: everything that is not globally reachable, and
-- multicast. IPv6: only global unicast (2000::/3) without its special blocks, so mapped, NAT64,
-- local and multicast addresses are not public.
as $$
  select case family(p_address)
    when 4 then not p_address <<= any (array[
      '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24',
      '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24',
      '224.0.0.0/4', '240.0.0.0/4'
    ]::inet[])
    else p_address <<= '2000::/3' and not p_address <<= any (array[
      '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'
    ]::inet[])
  end
$$;
comment on function webhook.is_public_address(inet) is
  'False for loopback, private, link-local, shared (CGNAT), multicast, reserved, documentation, '
  'mapped and translated addresses.';

create function webhook.filter_public_addresses(p_addresses text[]) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select a
    from unnest(p_addresses) a
    -- The cast is inside of the case, because Postgres may evaluate another condition first.
    where case
      when pg_input_is_valid(a, 'inet')
        then webhook.is_public_address(a::inet) and masklen(a::inet) = case family(a::inet) when 4 then 32 else 128 end
    end
  )
$$;
comment on function webhook.filter_public_addresses(text[]) is
  'Returns those texts that are addresses of the public Internet. A sender passes the result of a '
  'DNS lookup.';

create function webhook.may_be_public(p_host text) returns boolean
language sql immutable
set search_path = ''
as $$
  select case
    when p_host like '%:%' then
      -- case and not and, because the cast must not run first.
      case when pg_input_is_valid(p_host, 'inet') then webhook.is_public_address(p_host::inet) else false end
    -- Browsers and resolvers read these as numbers: 127.1, 0177.0.0.1, 0x7f.0.0.1. Only four plain
    -- decimal numbers are accepted.
    when p_host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
      case
        when p_host !~ '^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$' or not pg_input_is_valid(p_host, 'inet')
          then false
        else webhook.is_public_address(p_host::inet)
      end
    else p_host ~ '\.' and p_host !~ '(^|\.)(localhost|local|internal|home\.arpa)$'
  end
$$;
comment on function webhook.may_be_public(text) is
  'Whether the text of a host (lower case, without brackets) may be a public one. It does not '
  'resolve names.';

create function webhook.is_allowed_host(p_host text, p_port integer) returns boolean
language sql stable security definer
set search_path = ''
as $$ select exists (select from webhook.settings s where p_host || ':' || p_port = any (s.allowed_hosts)) $$;
comment on function webhook.is_allowed_host(text, integer) is
  'Whether the operator allows this receiver at any address (webhook.settings.allowed_hosts).';

create function webhook.allowed_receivers() returns text[]
language sql stable security definer
set search_path = ''
as $$ select s.allowed_hosts || array_remove(array[s.local_inbox], null) from webhook.settings s $$;
comment on function webhook.allowed_receivers() is
  'The receivers that the operator allows at any address: host:port, and the URL of the local '
  'inbox (webhook.settings).';

create function webhook.inbox_path(p_url text) returns text
language sql stable security definer
set search_path = ''
as $$
  select '/inbox/' || i.name
  from webhook.settings s
  cross join lateral (select substr(p_url, length(s.local_inbox) + 1) as name) i
  where starts_with(p_url, s.local_inbox)
    and i.name ~ '^[A-Za-z0-9_-]{1,64}$'
$$;
comment on function webhook.inbox_path(text) is
  'The path of an address of the local inbox (webhook.settings.local_inbox); null for any other.';

create function webhook.parse_url(p_url text) returns webhook.parsed_url
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_label constant text := '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
  v_read webhook.parsed_url;
  v_parts text[];
begin
  v_read.target := webhook.inbox_path(p_url);
  if v_read.target is not null then
    v_read.plain := true;
    v_read.host := '127.0.0.1';
    v_read.port := substring(p_url from '^http://127\.0\.0\.1:([0-9]+)/')::integer;
    return v_read;
  end if;
  v_read.plain := false;
  v_read.fault := case
    when length(p_url) > 2048 then 'string_too_long'
    when p_url ~ '[^!-~]' then 'url_parsing'
    when p_url !~* '^https://' then 'url_scheme'
    when p_url ~ '#' then 'url_fragment'
    when p_url ~ '["<>\\^`{|}]' then 'url_parsing'
  end;
  if v_read.fault is not null then
    return v_read;
  end if;

  v_parts := regexp_match(substr(p_url, length('https://') + 1), '^([^/?]*)(.*)$');
  v_read.target := case when v_parts[2] like '/%' then v_parts[2] else '/' || v_parts[2] end;
  if v_parts[1] ~ '@' then
    v_read.fault := 'url_credentials';
    return v_read;
  end if;
  v_parts := regexp_match(
    lower(v_parts[1]), '^(?:\[([0-9a-f.]*:[0-9a-f:.]*)\]|(' || v_label || '(?:\.' || v_label || ')*))(:.*)?$'
  );
  v_read.host := coalesce(v_parts[1], v_parts[2]);
  v_read.port := case
    when v_parts[3] is null then 443
    when v_parts[3] ~ '^:[1-9][0-9]{0,4}$' then substr(v_parts[3], 2)::integer
  end;
  v_read.fault := case
    when v_read.host is null or length(v_read.host) > 253 then 'url_parsing'
    -- Below 1024 are other services of a host (mail, SSH), which an endpoint must not probe.
    when v_read.port is null or (v_read.port <> 443 and v_read.port not between 1024 and 65535) then 'url_port'
    when not webhook.is_allowed_host(v_read.host, v_read.port) and webhook.may_be_public(v_read.host) is not true
      then 'url_private_host'
  end;
  return v_read;
end
$$;
comment on function webhook.parse_url(text) is
  'Parses an address, or returns why it may not receive deliveries. Allowed hosts and the local '
  'inbox (webhook.settings) pass. Names are resolved at each attempt.';

revoke all on function
  webhook.is_public_address(inet),
  webhook.filter_public_addresses(text[]),
  webhook.may_be_public(text),
  webhook.is_allowed_host(text, integer),
  webhook.allowed_receivers(),
  webhook.inbox_path(text),
  webhook.parse_url(text)
from public;
grant execute on function webhook.allowed_receivers() to parallax_api;
