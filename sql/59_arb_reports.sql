-- POST /v2/report-bad-arb: filed with the evidence, for a person to look at.

create function arb.evidence(p_window_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'window', to_jsonb(w),
    'states', (select coalesce(jsonb_agg(to_jsonb(s) - 'window_id' order by s.state_no), '[]') from arb.states s where s.window_id = w.window_id),
    'pair', (select to_jsonb(p) from catalog.pairs p where p.pair_id = w.pair_id),
    'outcomes', (select coalesce(jsonb_agg(to_jsonb(o) - 'pair_id' order by o.ordinal), '[]') from catalog.outcomes o where o.pair_id = w.pair_id),
    'gates', (select to_jsonb(g) - 'pair_id' from catalog.gates g where g.pair_id = w.pair_id),
    'risks', (
      select coalesce(jsonb_agg(to_jsonb(k) - 'pair_id' order by k.event), '[]') from catalog.risks k where k.pair_id = w.pair_id
    )
  )
  from arb.windows w
  where w.window_id = p_window_id
$$;
comment on function arb.evidence(uuid) is 'All that is known of a window now, as a report keeps it; null for an unknown one.';

create function arb.window_named(p_opp_id text) returns uuid
language sql stable
set search_path = ''
as $$
  select w.window_id
  from arb.windows w
  where p_opp_id ~* '^(opp_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and w.window_id = (case when p_opp_id ~* '^(opp_)?[0-9a-f-]{36}$' then regexp_replace(lower(p_opp_id), '^opp_', '') end)::uuid
$$;
comment on function arb.window_named(text) is 'The window that an Opportunity id names, with or without its opp_; null for any other text.';

create function arb.file_report(p_org_id uuid, p_key_hash bytea, p_report jsonb) returns uuid
language sql volatile security definer
set search_path = ''
as $$
  insert into arb.reports (org_id, key_id, opp_id, window_id, reason, sport, market, detail, more, evidence)
  select p_org_id,
         (select k.key_id from account.keys k where k.hash = p_key_hash and k.org_id = p_org_id),
         p_report ->> 'opp_id', w.window_id, p_report ->> 'reason', p_report ->> 'sport', p_report ->> 'market', p_report ->> 'detail',
         nullif(p_report - array['opp_id', 'reason', 'sport', 'market', 'detail'], '{}'),
         arb.evidence(w.window_id)
  from (select arb.window_named(p_report ->> 'opp_id') as window_id) w
  returning report_id
$$;
comment on function arb.file_report(uuid, bytea, jsonb) is
  'Keeps a report {opp_id, reason, sport, market, detail, …} of an organization''s key, with the evidence of the window if opp_id is known.';
grant execute on function arb.file_report(uuid, bytea, jsonb) to parallax_api;
