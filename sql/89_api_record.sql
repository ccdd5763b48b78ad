-- RPCs of the page Record: the rules of GET /v2/rules for a member, and the progress of the
-- backtest.

create function dashboard.backtest_json() returns json
language sql stable
set search_path = ''
as $$
  select json_build_object(
    'scopes', count(*),
    'done', count(*) filter (where b.state = 'done'),
    'failed', count(*) filter (where b.state = 'failed'),
    'running', count(*) filter (where b.state in ('reading', 'matching')),
    'listings', coalesce(sum(b.listings_a + b.listings_b), 0),
    'occasions', coalesce(sum(b.occasions), 0),
    'diverging', coalesce(sum(b.diverging), 0),
    'finished_at', case
      when bool_and(b.state in ('done', 'failed')) then base.format_time(max(b.finished_at))
    end
  )
  from catalog.backtest_progress b
$$;
comment on function dashboard.backtest_json() is
  'Progress of the backtest over all scopes. finished_at: null while a scope waits or is read.';

create function dashboard.list_rules(p_after text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  -- 1,000 rules take 0.5 MB: one page, also for a catalog of every competition.
  v_limit constant integer := 1000;
  v_rules text[];
begin
  perform account.admit_session(1);
  v_rules := api.rules_after(
    case when p_after is null then '{}' else jsonb_build_object('after', md5(p_after)::uuid) end, v_limit + 1
  );
  return (
    '{' || api.parity_limits_json()
      || ',"has_more":' || (cardinality(v_rules) > v_limit)::text
      || ',"backtest":' || dashboard.backtest_json()
      || ',"rules":['
      || coalesce(
        (
          select string_agg(j.body, ',' order by array_position(v_rules, j.rule_id))
          from api.rules_json(v_rules[:v_limit], 0, 0) j
        ),
        ''
      )
      || ']}'
  )::json;
end
$$;
comment on function dashboard.list_rules(text) is
  'The rules after rule p_after (null: from the first one), as GET /v2/rules has them, without '
  'members of pools: {limit_pct, confidence_pct, has_more, backtest, rules}.';

create function dashboard.read_rule(p_rule_id text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_rule text;
begin
  perform account.admit_session(1);
  select j.body into v_rule from api.rules_json(array[p_rule_id], 500, 100) j;
  if v_rule is null then
    perform account.raise_error(404, 'rule.not_found', 'This rule does not exist.');
  end if;
  return v_rule::json;
end
$$;
comment on function dashboard.read_rule(text) is
  'One rule as GET /v2/rules has it, with 500 members of its pool and its 100 newest divergences.';

create function api.list_rules(p_after text default null) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.list_rules(p_after) $$;
comment on function api.list_rules(text) is
  'Resolution rules with their record and the progress of the backtest, for a member. p_after: '
  'the last rule_id of the previous page.';

create function api.read_rule(p_rule_id text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.read_rule(p_rule_id) $$;
comment on function api.read_rule(text) is
  'One resolution rule with its pool and its divergences, for a member.';

revoke all on function
  dashboard.backtest_json(),
  dashboard.list_rules(text),
  dashboard.read_rule(text),
  api.list_rules(text),
  api.read_rule(text)
from public;
grant execute on function
  dashboard.list_rules(text),
  dashboard.read_rule(text),
  api.list_rules(text),
  api.read_rule(text)
to authenticated;
