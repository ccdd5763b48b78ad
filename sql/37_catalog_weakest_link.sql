-- The published risks of an opportunity, and how it is most likely to lose.

create function catalog.public_risks(p_assessment_id text) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(
    json_agg(
      json_build_object('event', r.event, 'severity', r.severity, 'note', r.note)
      order by catalog.severity_rank(r.severity), r.event
    ),
    '[]'
  )
  from catalog.assessments j
  cross join lateral jsonb_to_recordset(j.risks) as r (event text, severity text, note text)
  where j.assessment_id = p_assessment_id
    and not starts_with(r.event, 'cancel_')
$$;
comment on function catalog.public_risks(text) is
  'The published risks of an assessment, worst first.';

create function catalog.weakest_link(p_risks json, p_rule catalog.rules) returns text
language sql stable
set search_path = ''
as $$
  select case
    when json_array_length(p_risks) > 0
      then initcap(p_risks #>> '{0,severity}') || ' risk: ' || (p_risks #>> '{0,note}')
    when p_rule.record_bound < 1 then format(
      'No difference between the two texts is known; %s of %s settled occasions of this rule diverged, so at most %s '
      '%% do by its bound.',
      p_rule.record_diverging, p_rule.record_agreeing + p_rule.record_diverging, trim_scale(p_rule.record_bound * 100)
    )
    else 'No difference between the two texts is known, and no settled occasion of this rule is known either.'
  end
$$;
comment on function catalog.weakest_link(json, catalog.rules) is
  'How a pair is most likely to fail, in one sentence: its worst risk (p_risks: worst first), '
  'else the record of its rule.';

grant execute on function catalog.public_risks(text), catalog.weakest_link(json, catalog.rules) to parallax_api;
