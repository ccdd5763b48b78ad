-- Which addresses a delivery may go to. This is the only place that reads one: the sender connects to the host, port and target that are
-- read here, so no second reader can understand them differently, and asks webhook.is_public about what a name resolves to.

create type webhook.address as (host text, port integer, target text, fault text, msg text, ctx jsonb);
comment on type webhook.address is
  'An https address in its parts: host in lower case, an IPv6 one without its brackets; target is path and query. fault, msg and ctx say what is wrong with it, in the words of a Validation error; null where nothing is.';

create function webhook.is_public(p_address inet) returns boolean
language sql immutable parallel safe
set search_path = ''
-- IANA's special-purpose registries, 2026-11: of IPv4 all that is not globally reachable, and multicast; of IPv6 only what is global
-- unicast (2000::/3) without the blocks in it that stand for something else: so mapped, NAT64, local and multicast ones are out.
as $$
  select case family(p_address)
    when 4 then not p_address <<= any (array[
      '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
      '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'
    ]::inet[])
    else p_address <<= '2000::/3' and not p_address <<= any (array[
      '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'
    ]::inet[])
  end
$$;
comment on function webhook.is_public(inet) is
  'Whether an address belongs to the public Internet: not loopback, private, link-local, shared (CGNAT), multicast, reserved, documentation, mapped or translated.';

create function webhook.public_among(p_addresses text[]) returns text[]
language sql stable security definer
set search_path = ''
as $$
  select array(
    select a
    from unnest(p_addresses) a
    -- The cast stands behind the case: a condition beside it could be looked at first.
    where case when pg_input_is_valid(a, 'inet') then webhook.is_public(a::inet) and masklen(a::inet) = case family(a::inet) when 4 then 32 else 128 end end
  )
$$;
comment on function webhook.public_among(text[]) is 'Of these texts those that are addresses of the public Internet: what a sender asks about the answer of the DNS.';

create function webhook.host_fault(p_host text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_host like '%:%' then
      case
        when not pg_input_is_valid(p_host, 'inet') then 'this is no IPv6 address'
        when not webhook.is_public(p_host::inet) then 'the address is not one of the public Internet'
      end
    -- What browsers and resolvers take for a number: 127.1, 0177.0.0.1, 0x7f.0.0.1. Only four plain decimal numbers are let through.
    when p_host ~ '(^|\.)([0-9]+|0x[0-9a-f]*)$' then
      case
        when p_host !~ '^(0|[1-9][0-9]{0,2})(\.(0|[1-9][0-9]{0,2})){3}$' or not pg_input_is_valid(p_host, 'inet') then
          'an IPv4 address is written as four decimal numbers'
        when not webhook.is_public(p_host::inet) then 'the address is not one of the public Internet'
      end
    when p_host !~ '\.' then 'the host needs a full name'
    when p_host ~ '(^|\.)(localhost|local|internal|home\.arpa)$' then 'the host is not one of the public Internet'
  end
$$;
comment on function webhook.host_fault(text) is 'Why a host (in lower case, without brackets) may not be delivered to, as far as its text tells; null where it may.';

create function webhook.is_listed(p_host text, p_port integer) returns boolean
language sql stable security definer
set search_path = ''
as $$ select exists (select from webhook.settings s where p_host || ':' || p_port = any (s.allowed)) $$;
comment on function webhook.is_listed(text, integer) is 'Whether the operator allows this receiver whatever its address is (webhook.settings.allowed).';

create function webhook.read_url(p_url text) returns webhook.address
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_label constant text := '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
  v_read webhook.address;
  v_rest text;
  v_parts text[];
begin
  v_read.ctx := '{}';
  if length(p_url) > 2048 then
    v_read.fault := 'string_too_long';
    v_read.msg := 'String should have at most 2048 characters';
    v_read.ctx := '{"max_length": 2048}';
  elsif p_url ~ '[^!-~]' then
    v_read.fault := 'url_parsing';
    v_read.msg := 'Input should be a valid URL of ASCII characters: a host of other letters in its xn-- form, the rest percent-encoded';
  elsif p_url !~* '^https://' then
    v_read.fault := 'url_scheme';
    v_read.msg := 'URL scheme should be ''https''';
    v_read.ctx := '{"expected_schemes": "''https''"}';
  elsif p_url ~ '#' then
    v_read.fault := 'url_fragment';
    v_read.msg := 'Input should be a URL without a fragment: it is never sent';
  elsif p_url ~ '["<>\\^`{|}]' then
    v_read.fault := 'url_parsing';
    v_read.msg := 'Input should be a valid URL: percent-encode its special characters';
  end if;
  if v_read.fault is not null then
    return v_read;
  end if;

  v_rest := substr(p_url, length('https://') + 1);
  v_parts := regexp_match(v_rest, '^([^/?]*)(.*)$');
  v_read.target := case when v_parts[2] like '/%' then v_parts[2] else '/' || v_parts[2] end;
  if v_parts[1] ~ '@' then
    v_read.fault := 'url_credentials';
    v_read.msg := 'Input should be a URL without credentials: deliveries are signed instead';
    return v_read;
  end if;
  v_parts := regexp_match(lower(v_parts[1]), '^(?:\[([0-9a-f:.]+)\]|(' || v_label || '(?:\.' || v_label || ')*))(:.*)?$');
  v_read.host := coalesce(v_parts[1], v_parts[2]);
  if v_read.host is null or length(v_read.host) > 253 then
    v_read.fault := 'url_parsing';
    v_read.msg := 'Input should be a valid URL, invalid host';
    return v_read;
  end if;
  v_read.port := case
    when v_parts[3] is null then 443
    when v_parts[3] ~ '^:[1-9][0-9]{0,4}$' then substr(v_parts[3], 2)::integer
  end;
  -- 25 and 587 are mail; the platform lets nothing out there.
  if v_read.port is null or v_read.port > 65535 or v_read.port in (25, 587) then
    v_read.fault := 'url_port';
    v_read.msg := 'Input should be a URL with a port from 1 to 65535, neither 25 nor 587';
    return v_read;
  end if;
  if not webhook.is_listed(v_read.host, v_read.port) then
    v_read.msg := webhook.host_fault(v_read.host);
    if v_read.msg is not null then
      v_read.fault := 'url_private_host';
      v_read.msg := 'URL host should be a public one: ' || v_read.msg;
    end if;
  end if;
  return v_read;
end
$$;
comment on function webhook.read_url(text) is
  'Reads an https address, or says why none may be delivered to it. What only the DNS knows is asked before it is registered (webhook.asks), and at each attempt. Hosts of webhook.settings.allowed pass whatever they are.';

revoke all on function
  webhook.is_public(inet),
  webhook.public_among(text[]),
  webhook.host_fault(text),
  webhook.is_listed(text, integer),
  webhook.read_url(text)
from public;
