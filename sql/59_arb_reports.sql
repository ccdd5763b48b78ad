-- POST /v2/report-bad-arb: stores a report with its evidence for review by an operator.

create function arb.collect_evidence(p_opportunity_id uuid) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'window', to_jsonb(o),
    'states',
    (
      select coalesce(jsonb_agg(to_jsonb(s) - 'opportunity_id' order by s.state_no), '[]')
      from arb.opportunity_states s
      where s.opportunity_id = o.opportunity_id
    ),
    'pair', (select to_jsonb(p) from catalog.pairs p where p.pair_id = o.pair_id),
    'outcomes',
    (
      select coalesce(jsonb_agg(to_jsonb(c) - 'pair_id' order by c.ordinal), '[]')
      from catalog.outcomes c
      where c.pair_id = o.pair_id
    ),
    'gates', (select to_jsonb(g) - 'pair_id' from catalog.match_gates g where g.pair_id = o.pair_id),
    'risks', (
      select coalesce(jsonb_agg(to_jsonb(k) - 'pair_id' order by k.event), '[]')
      from catalog.pair_risks k
      where k.pair_id = o.pair_id
    )
  )
  from arb.opportunities o
  where o.opportunity_id = p_opportunity_id
$$;
comment on function arb.collect_evidence(uuid) is
  'All data of an opportunity now, to be stored in a report; null for an unknown one.';

create function arb.find_opportunity(p_opp_id text) returns uuid
language sql stable
set search_path = ''
as $$
  select o.opportunity_id
  from arb.opportunities o
  where p_opp_id ~* '^(opp_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and o.opportunity_id = (
      case when p_opp_id ~* '^(opp_)?[0-9a-f-]{36}$' then regexp_replace(lower(p_opp_id), '^opp_', '') end
    )::uuid
$$;
comment on function arb.find_opportunity(text) is
  'The opportunity of an id, with or without opp_; null for any other text.';

create function arb.may_file_report(p_org_id uuid) returns boolean
language sql volatile
set search_path = ''
as $$
  select count(r.report_id) < s.max_open_reports
    and coalesce(
      sum(
        coalesce(pg_column_size(r.evidence), 0) + coalesce(pg_column_size(r.extra_fields), 0)
          + coalesce(pg_column_size(r.detail), 0)
      ), 0
    ) < s.max_open_report_bytes
  from arb.settings s
  left join arb.reports r on r.org_id = p_org_id and r.verdict is null
  group by s.singleton
$$;
comment on function arb.may_file_report(uuid) is
  'Whether an organization may file a report: those without a verdict are limited in number and '
  'in stored bytes, because evidence may be large.';

-- The caller holds the lock on the row of account.usage, so that two reports at once are not both
-- the last that is allowed.
create function arb.file_report(p_org_id uuid, p_key_hash bytea, p_report jsonb) returns uuid
language sql volatile security definer
set search_path = ''
as $$
  insert into arb.reports (
    org_id, key_id, opp_id, opportunity_id, reason, sport, market, detail, extra_fields, evidence
  )
  select p_org_id,
         (select k.key_id from account.keys k where k.hash = p_key_hash and k.org_id = p_org_id),
         p_report ->> 'opp_id', o.opportunity_id, p_report ->> 'reason', p_report ->> 'sport', p_report ->> 'market',
         p_report ->> 'detail',
         nullif(p_report - array['opp_id', 'reason', 'sport', 'market', 'detail'], '{}'),
         arb.collect_evidence(o.opportunity_id)
  from (select arb.find_opportunity(p_report ->> 'opp_id') as opportunity_id) o
  where arb.may_file_report(p_org_id)
  returning report_id
$$;
comment on function arb.file_report(uuid, bytea, jsonb) is
  'Stores a report {opp_id, reason, sport, market, detail, …} with the evidence of its '
  'opportunity. Returns null when too many reports wait for a verdict.';
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
    raise exception 'The verdict must be "upheld" or "dismissed", not "%".', p_verdict using errcode = '22023';
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
      raise exception 'Report % was already % on %.', p_report_id, v_report.verdict,
        base.format_time(v_report.reviewed_at) using errcode = '22023';
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
  'Stores an operator''s verdict and note, which the organization receives in a report frame. '
  'Repeating it returns false; another verdict or an unknown report is an error.';
revoke all on function arb.review_report(uuid, text, text) from public;
