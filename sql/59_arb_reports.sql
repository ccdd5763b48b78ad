-- POST /v2/report-bad-arb: filed with the evidence, for a person to look at.

create function arb.collect_evidence(p_window_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'window', to_jsonb(w),
    'states', (select coalesce(jsonb_agg(to_jsonb(s) - 'opportunity_id' order by s.state_no), '[]') from arb.opportunity_states s where s.opportunity_id = w.opportunity_id),
    'pair', (select to_jsonb(p) from catalog.pairs p where p.pair_id = w.pair_id),
    'outcomes', (select coalesce(jsonb_agg(to_jsonb(o) - 'pair_id' order by o.ordinal), '[]') from catalog.outcomes o where o.pair_id = w.pair_id),
    'gates', (select to_jsonb(g) - 'pair_id' from catalog.match_gates g where g.pair_id = w.pair_id),
    'risks', (
      select coalesce(jsonb_agg(to_jsonb(k) - 'pair_id' order by k.event), '[]') from catalog.pair_risks k where k.pair_id = w.pair_id
    )
  )
  from arb.opportunities w
  where w.opportunity_id = p_window_id
$$;
comment on function arb.collect_evidence(uuid) is 'All that is known of a window now, as a report keeps it; null for an unknown one.';

create function arb.find_opportunity(p_opp_id text) returns uuid
language sql stable
set search_path = ''
as $$
  select w.opportunity_id
  from arb.opportunities w
  where p_opp_id ~* '^(opp_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and w.opportunity_id = (case when p_opp_id ~* '^(opp_)?[0-9a-f-]{36}$' then regexp_replace(lower(p_opp_id), '^opp_', '') end)::uuid
$$;
comment on function arb.find_opportunity(text) is 'The window that an Opportunity id names, with or without its opp_; null for any other text.';

create function arb.may_file_report(p_org_id uuid) returns boolean
language sql volatile
set search_path = ''
as $$
  select count(r.report_id) < s.max_open_reports
     and coalesce(
       sum(coalesce(pg_column_size(r.evidence), 0) + coalesce(pg_column_size(r.extra_fields), 0) + coalesce(pg_column_size(r.detail), 0)), 0
     ) < s.max_open_report_bytes
  from arb.settings s
  left join arb.reports r on r.org_id = p_org_id and r.verdict is null
  group by s.singleton
$$;
comment on function arb.may_file_report(uuid) is
  'Whether an organization may file one more: those that wait for a verdict are bounded in number and in bytes as stored. The evidence of a long window is many times the body that names it.';

create function arb.file_report(p_org_id uuid, p_key_hash bytea, p_report jsonb) returns uuid
language sql volatile security definer
set search_path = ''
as $$
  insert into arb.reports (org_id, key_id, opp_id, opportunity_id, reason, sport, market, detail, extra_fields, evidence)
  select p_org_id,
         (select k.key_id from account.keys k where k.hash = p_key_hash and k.org_id = p_org_id),
         p_report ->> 'opp_id', w.opportunity_id, p_report ->> 'reason', p_report ->> 'sport', p_report ->> 'market', p_report ->> 'detail',
         nullif(p_report - array['opp_id', 'reason', 'sport', 'market', 'detail'], '{}'),
         arb.collect_evidence(w.opportunity_id)
  from (select arb.find_opportunity(p_report ->> 'opp_id') as opportunity_id) w
  where arb.may_file_report(p_org_id)
  returning report_id
$$;
comment on function arb.file_report(uuid, bytea, jsonb) is
  'Keeps a report {opp_id, reason, sport, market, detail, …} of an organization''s key, with the evidence of the window if opp_id is known. Null where too many of its reports wait for a verdict. Its caller holds the organization''s row of account.usage, so that two at once are not both the last.';
revoke all on function arb.may_file_report(uuid) from public;
grant execute on function arb.file_report(uuid, bytea, jsonb) to parallax_api;

create function arb.review_report(p_report_id uuid, p_verdict text, p_note text default null) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note text := nullif(btrim(p_note), '');
  v_report arb.reports;
begin
  if p_verdict is null or p_verdict not in ('upheld', 'dismissed') then
    raise exception 'A report is "upheld" or "dismissed", not "%".', p_verdict using errcode = '22023';
  end if;
  if length(v_note) > 2000 then
    raise exception 'A note has at most 2,000 characters, not %.', length(v_note) using errcode = '22023';
  end if;
  select r.* into v_report from arb.reports r where r.report_id = p_report_id for update;
  if v_report.report_id is null then
    raise exception 'There is no report %.', p_report_id using errcode = '22023';
  end if;
  if v_report.verdict is not null then
    if v_report.verdict <> p_verdict then
      raise exception 'Report % was % already, on %.', p_report_id, v_report.verdict, base.format_time(v_report.reviewed_at) using errcode = '22023';
    end if;
    return false;
  end if;
  update arb.reports r
  set verdict = p_verdict,
      note = v_note,
      reviewed_at = clock_timestamp()
  where r.report_id = p_report_id;
  return true;
end
$$;
comment on function arb.review_report(uuid, text, text) is
  'An operator''s verdict on a report: upheld (it was no arbitrage) or dismissed, with a note that its organization reads in a report frame. The same verdict again changes nothing and returns false; another one, and an unknown report, are errors.';
revoke all on function arb.review_report(uuid, text, text) from public;
