-- What the DNS says of a host before an endpoint is registered there: the api function asks it, this judges the answer.

create function webhook.asks(p_params jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object('resolve', u.host)
  from webhook.read_url(p_params ->> 'url') u
  where u.fault is null
    and u.host !~ ':|^[0-9.]+$'
    and not p_params ? 'resolved'
    and not webhook.is_listed(u.host, u.port)
$$;
comment on function webhook.asks(jsonb) is
  'What has to be known of a registration before it can be judged, and the database cannot find out: {resolve: host}, to be answered by resolved: {addresses} or {silent}. Null where nothing is.';

create function webhook.resolved_faults(p_url text, p_resolved jsonb) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_all text[] := array(select jsonb_array_elements_text(p_resolved -> 'addresses'));
  v_input jsonb := to_jsonb(left(p_url, 200));
begin
  -- A DNS that is silent is nobody's fault here: the attempt asks it again, and goes nowhere without an answer.
  if p_resolved -> 'addresses' is null then
    return '[]';
  elsif cardinality(v_all) = 0 then
    return jsonb_build_array(webhook.fault('["url"]', 'url_unknown_host', 'URL host should exist: the DNS knows no address of it', v_input));
  elsif cardinality(webhook.public_among(v_all)) < cardinality(v_all) then
    -- Which one is not told: it may be an answer that only this network gets.
    return jsonb_build_array(
      webhook.fault('["url"]', 'url_private_address', 'URL host should be a public one: it resolves to an address that is not of the public Internet', v_input)
    );
  end if;
  return '[]';
end
$$;
comment on function webhook.resolved_faults(text, jsonb) is
  'What is wrong with a host by what the DNS said of it ({addresses} or {silent}); one address that is not public is one too many. As webhook.faults.';

revoke all on function
  webhook.asks(jsonb),
  webhook.resolved_faults(text, jsonb)
from public;
grant execute on function
  webhook.asks(jsonb),
  webhook.resolved_faults(text, jsonb),
  webhook.is_listed(text, integer),
  webhook.public_among(text[])
to parallax_api;
