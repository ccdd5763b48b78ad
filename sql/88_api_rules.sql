-- GET /v2/rules: the record of each resolution rule against the limit of the parity gate.

create function api.rules_version() returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- Two numbers, like every version (functions/api/database.ts).
  return (
    select concat_ws(
      '.',
      (select mod(abs(coalesce(sum(hashtextextended(r::text, 0)), 0)), 1e18) from catalog.rules r),
      (
        select mod(abs(sum(hashtextextended(o.state, 0))), 1e18)
        from (
          select d::text as state
          from catalog.divergences d
          union all
          select s::text
          from catalog.parity_settings s
        ) o
      )
    )
  );
end
$$;
comment on function api.rules_version() is
  'Hashes of the rules, and of the divergences with the parity settings.';

create function api.bounded_text(p_text text, p_limit integer) returns text
language sql immutable parallel safe
set search_path = ''
as $$ select case when length(p_text) > p_limit then left(p_text, p_limit - 1) || '…' else p_text end $$;
comment on function api.bounded_text(text, integer) is
  'Text of a venue, cut to p_limit characters. A venue sets no limit, and a body has one.';

create function api.divergences_of(p_rule_id text, p_limit integer) returns json
language sql stable
set search_path = ''
as $$
  select coalesce(
    json_agg(
      json_build_object(
        'occasion', api.bounded_text(d.occasion, 200),
        'source', d.source,
        'settled_at', base.format_time(d.settled_at),
        'venue_a', json_build_object(
          'event', api.bounded_text(d.event_a, 200), 'title', api.bounded_text(d.title_a, 300),
          'text', api.bounded_text(d.text_a, 6000), 'paid', p.venue_a
        ),
        'venue_b', json_build_object(
          'event', api.bounded_text(d.event_b, 200), 'title', api.bounded_text(d.title_b, 300),
          'text', api.bounded_text(d.text_b, 6000), 'paid', p.venue_b
        )
      )
      order by d.settled_at desc nulls last, d.occasion
    ),
    '[]'
  )
  from (
    select v.*
    from catalog.divergences v
    where v.rule_id = p_rule_id
    order by v.settled_at desc nulls last, v.occasion
    limit p_limit
  ) d
  cross join lateral (
    select coalesce(
             json_agg(
               json_build_object(
                 'outcome', api.bounded_text(o.leg ->> 'outcome', 200), 'usd', (o.leg ->> 'venue_a')::numeric
               )
               order by o.place
             ),
             '[]'
           ) as venue_a,
           coalesce(
             json_agg(
               json_build_object(
                 'outcome', api.bounded_text(o.leg ->> 'outcome', 200), 'usd', (o.leg ->> 'venue_b')::numeric
               )
               order by o.place
             ),
             '[]'
           ) as venue_b
    from jsonb_array_elements(d.paid) with ordinality as o (leg, place)
    where o.place <= 50
  ) p
$$;
comment on function api.divergences_of(text, integer) is
  'The newest p_limit divergences of a rule with the texts and the payouts of both venues.';

create function api.rules_json(p_rules text[], p_members integer, p_divergences integer)
returns table (rule_id text, body text)
language sql stable
set search_path = ''
as $$
  with wanted as materialized (
    select r.*
    from catalog.rules r
    where r.rule_id = any (p_rules)
  ), pools as materialized (
    select m.pool_key, array_agg(m.rule_id order by m.rule_id) as members
    from catalog.rules m
    where m.pool_bound is not null
      and m.pool_key in (select w.pool_key from wanted w)
    group by m.pool_key
  )
  select w.rule_id,
         left(
           json_build_object(
             'rule_id', w.rule_id,
             'family', w.family,
             'competition', coalesce(w.competition, w.scope),
             'agreeing', w.record_agreeing,
             'diverging', w.record_diverging,
             'bound_pct', trim_scale(w.record_bound * 100),
             'state', w.state,
             'first_at', base.format_time(w.first_at),
             'last_at', base.format_time(w.last_at),
             'pool', case
               when w.pool_bound is not null then json_build_object(
                 'count', w.pool_rules,
                 'members', to_json(p.members[:p_members]),
                 'agreeing', w.pool_agreeing,
                 'bound_pct', trim_scale(w.pool_bound * 100)
               )
             end
           )::text,
           -1
         )
           || case
             when p_divergences > 0 then
               ',"divergences_count":' || (select count(*) from catalog.divergences d where d.rule_id = w.rule_id)
               || ',"divergences":' || api.divergences_of(w.rule_id, p_divergences)
             else ''
           end
           || '}'
  from wanted w
  left join pools p on p.pool_key = w.pool_key
$$;
comment on function api.rules_json(text[], integer, integer) is
  'Rules as GET /v2/rules returns them, each with at most p_members of its pool and, unless it is '
  '0, its p_divergences newest divergences.';

create function api.parity_limits_json() returns text
language sql stable
set search_path = ''
as $$
  select '"limit_pct":' || trim_scale(s.max_divergence_rate * 100)
    || ',"confidence_pct":' || trim_scale(s.confidence * 100)
  from catalog.parity_settings s
$$;
comment on function api.parity_limits_json() is
  'The limit of a bound and the confidence of all bounds, as members of a JSON object.';

create function api.rules_after(p_params jsonb, p_limit integer) returns text[]
language sql stable
set search_path = ''
as $$
  -- The order never changes: a rule keeps its id, its family and its scope. So a walk by the last
  -- row of each page repeats no rule and skips none.
  with places as (
    select r.rule_id, r.state, r.family, r.scope, coalesce(r.competition, r.scope) as competition,
           md5(r.rule_id)::uuid as id,
           (r.scope is null, coalesce(r.scope, ''), r.family, r.rule_id) as place
    from catalog.rules r
  )
  select coalesce(array_agg(f.rule_id order by f.place), '{}')
  from (
    select p.rule_id, p.place
    from places p
    where (not p_params ? 'state' or p_params -> 'state' ? p.state)
      and (not p_params ? 'family' or p_params -> 'family' ? p.family)
      and (
        not p_params ? 'competition'
        or lower(p_params ->> 'competition') in (lower(p.competition), lower(p.scope))
      )
      and (
        not p_params ? 'after'
        or p.place > (select l.place from places l where l.id = (p_params ->> 'after')::uuid)
      )
    order by p.place
    limit p_limit
  ) f
$$;
comment on function api.rules_after(jsonb, integer) is
  'The ids of the next p_limit rules by scope, family and id. p_params as in api.get_rules; '
  'after: md5 of the last rule_id.';

create function api.get_rules(p_params jsonb) returns api.route_result
-- Stable, so that version and body come from one snapshot of the database.
language plpgsql stable
set search_path = ''
as $$
declare
  v_with_divergences boolean := coalesce(p_params -> 'include' ? 'divergences', false);
  -- 50 rules with 20 divergences of 12,000 characters are 12 MB at worst.
  v_limit integer := least((p_params ->> 'limit')::integer, case when v_with_divergences then 50 end);
  v_rules text[] := api.rules_after(p_params, v_limit + 1);
  v_answer api.route_result;
begin
  v_answer.status := 200;
  v_answer.version := api.rules_version();
  v_answer.body := '{' || api.parity_limits_json()
    || ',"count":' || least(cardinality(v_rules), v_limit)
    || ',"has_more":' || (cardinality(v_rules) > v_limit)::text
    || ',"next_cursor":' || case
      when cardinality(v_rules) > v_limit then
        to_json(api.encode_cursor(p_params ->> 'view', null, md5(v_rules[v_limit])::uuid::text, 0))::text
      else 'null'
    end
    || ',"rules":['
    || coalesce(
      (
        select string_agg(j.body, ',' order by array_position(v_rules, j.rule_id))
        from api.rules_json(v_rules[:v_limit], 20, case when v_with_divergences then 20 else 0 end) j
      ),
      ''
    )
    || ']}';
  return v_answer;
end
$$;
comment on function api.get_rules(jsonb) is
  'Rules by competition and family. p_params, from functions/api/routes/get_rules.ts: family[], '
  'competition, state[], include[], limit, view, after.';

grant execute on function
  api.rules_version(),
  api.bounded_text(text, integer),
  api.divergences_of(text, integer),
  api.rules_json(text[], integer, integer),
  api.parity_limits_json(),
  api.rules_after(jsonb, integer),
  api.get_rules(jsonb)
to parallax_api;
