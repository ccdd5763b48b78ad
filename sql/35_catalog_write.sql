-- The last stages of the match pass: they compare the rows of the pairs with the stored rows and
-- write the differences. Pairs are withdrawn first, so that a question is in at most one pair at a
-- time.

create function catalog.changed_pairs(
  p_pairs catalog.new_pair[],
  p_outcomes catalog.outcomes[],
  p_strikes catalog.strikes[]
) returns setof catalog.changed_pair
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  return query
  -- Only a stored pair can be unchanged.
  with known as materialized (
    select p.pair_id from catalog.pairs p where p.pair_id in (select n.pair_id from unnest(p_pairs) n)
  ), outcomes as (
    select o.pair_id, jsonb_agg(to_jsonb(o) order by o.ordinal) as outcomes
    from unnest(p_outcomes) o
    where o.pair_id in (select k.pair_id from known k)
    group by o.pair_id
  ), ladders as (
    select l.pair_id, jsonb_agg(to_jsonb(l) order by l.ordinal) as ladder
    from unnest(p_strikes) l
    where l.pair_id in (select k.pair_id from known k)
    group by l.pair_id
  ), new_rows as (
    select n.pair_id, n.text_a, n.text_b, to_jsonb(n) - array['input_hash', 'text_a', 'text_b'] as row_json, o.outcomes,
           l.ladder
    from unnest(p_pairs) n
    left join outcomes o on o.pair_id = n.pair_id
    left join ladders l on l.pair_id = n.pair_id
  ), stored_rows as (
    select p.pair_id, p.withdrawn_at, p.text_a, p.text_b, to_jsonb(p) as row_json,
           (
             select jsonb_agg(to_jsonb(o) order by o.ordinal) from catalog.outcomes o where o.pair_id = p.pair_id
           ) as outcomes,
           (
             select jsonb_agg(to_jsonb(l) order by l.ordinal) from catalog.strikes l where l.pair_id = p.pair_id
           ) as ladder
    from catalog.pairs p
    join unnest(p_pairs) n on n.pair_id = p.pair_id
  )
  select n.pair_id, w.pair_id is null as created
  from new_rows n
  left join stored_rows w on w.pair_id = n.pair_id
  where w.pair_id is null
    or w.withdrawn_at is not null
    or (w.text_a, w.text_b) is distinct from (n.text_a, n.text_b)
    or not w.row_json @> n.row_json
    or w.outcomes is distinct from n.outcomes
    or w.ladder is distinct from n.ladder;
end
$$;
comment on function catalog.changed_pairs(
  catalog.new_pair[], catalog.outcomes[], catalog.strikes[]
) is
  'Stage 11 of catalog.run_match_pass: the pairs that are new, or differ from what is stored in '
  'their row, outcomes or strikes.';

create function catalog.write_pairs(
  p_candidates catalog.candidate[],
  p_assessed catalog.assessed_pairs[],
  p_pairs catalog.new_pair[],
  p_changed catalog.changed_pair[]
) returns jsonb
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_now timestamptz := clock.now();
  v_created integer;
  v_changed integer;
  v_withdrawn integer;
begin
  -- Withdraw first: pairs that were not chosen again, and pairs whose question changes its partner
  -- or, by another reading of a name, its id. A question is in one pair at a time.
  with ended as materialized (
    select p.pair_id, c.rejected
    from catalog.pairs p
    left join unnest(p_candidates) c on c.question_a = p.question_a and c.question_b = p.question_b
    left join unnest(p_pairs) n on n.question_a = p.question_a and n.pair_id <> p.pair_id
    where p.withdrawn_at is null
      and (c.round is null or n.pair_id is not null)
      -- A settled pair keeps its result when its listings disappear.
      and not (
        p.status in ('settled', 'closed')
        and (
          not exists (select from venue.questions q where q.question_id = p.question_a)
          or not exists (select from venue.questions q where q.question_id = p.question_b)
        )
      )
  ), gone as (
    update catalog.pairs p
    set withdrawn_at = v_now,
        withdrawn_code = catalog.withdrawal_code(p.question_a, p.question_b, e.rejected),
        updated_at = v_now,
        change_no = nextval('catalog.change_numbers')
    from ended e
    where p.pair_id = e.pair_id
      and p.withdrawn_at is null
    returning p.pair_id
  )
  select count(*) into v_withdrawn
  from gone
  where pair_id not in (select m.pair_id from unnest(p_changed) m);

  insert into catalog.rules (rule_id, description, first_seen_at, competition)
  select n.rule_id, n.rule_id, v_now, max(n.competition)
  from unnest(p_pairs) n
  join unnest(p_changed) m on m.pair_id = n.pair_id
  group by n.rule_id
  on conflict (rule_id) do nothing;

  insert into catalog.assessments (assessment_id, signals, risks)
  select distinct on (v.assessment_id) v.assessment_id, v.signals, v.risks
  from unnest(p_assessed) v
  on conflict (assessment_id) do nothing;
  insert into catalog.pairs as p (
    pair_id, slug, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence,
    assessment_id, rule_id, category, sport, competition, location, asset, indicator, basis, institution, tags, title,
    home, away, start_time, has_scheduled_start, line, game_id, closes_a, closes_b, omitted_outcomes, url_a, url_b,
    event_a, event_b, condition_b, slug_b, text_a, text_b, input_hash, shard_key, created_at, updated_at
  )
  select n.*, (hashtextextended(n.pair_id::text, 0) & 63)::smallint, v_now, v_now
  from unnest(p_pairs) n
  join unnest(p_changed) m on m.pair_id = n.pair_id
  order by n.pair_id
  on conflict (pair_id) do update
  set (
    slug, question_a, question_b, key, market_type, stage, band, entity_confidence, resolution_confidence,
    assessment_id, rule_id, category, sport, competition, location, asset, indicator, basis, institution, tags, title,
    home, away, start_time, has_scheduled_start, line, game_id, closes_a, closes_b, omitted_outcomes, url_a, url_b,
    event_a, event_b, condition_b, slug_b, text_a, text_b, input_hash,
    updated_at, change_no, withdrawn_at, withdrawn_code
  ) = (
    excluded.slug, excluded.question_a, excluded.question_b, excluded.key, excluded.market_type, excluded.stage,
    excluded.band, excluded.entity_confidence, excluded.resolution_confidence, excluded.assessment_id, excluded.rule_id,
    excluded.category, excluded.sport, excluded.competition, excluded.location, excluded.asset, excluded.indicator,
    excluded.basis, excluded.institution, excluded.tags, excluded.title, excluded.home, excluded.away,
    excluded.start_time, excluded.has_scheduled_start, excluded.line, excluded.game_id,
    excluded.closes_a, excluded.closes_b, excluded.omitted_outcomes, excluded.url_a, excluded.url_b, excluded.event_a,
    excluded.event_b, excluded.condition_b, excluded.slug_b, excluded.text_a, excluded.text_b, excluded.input_hash,
    excluded.updated_at, nextval('catalog.change_numbers'), null, null
  );
  -- The inputs changed, but no column that a reader sees: store only the new digest.
  if cardinality(p_pairs) > cardinality(p_changed) then
    update catalog.pairs p
    set input_hash = n.input_hash
    from unnest(p_pairs) n
    where p.pair_id = n.pair_id
      and p.input_hash <> n.input_hash;
  end if;

  select count(*) filter (where m.created), count(*) into v_created, v_changed from unnest(p_changed) m;
  return jsonb_build_object(
    'pairs', (select count(*) from catalog.pairs p where p.withdrawn_at is null),
    'created', v_created, 'changed', v_changed + v_withdrawn, 'withdrawn', v_withdrawn
  );
end
$$;
comment on function catalog.write_pairs(
  catalog.candidate[], catalog.assessed_pairs[], catalog.new_pair[], catalog.changed_pair[]
) is
  'Stage 12 of catalog.run_match_pass: writes the differences and withdraws pairs that were not '
  'chosen again. Returns {pairs, created, changed, withdrawn}.';

create function catalog.write_outcomes(
  p_changed catalog.changed_pair[],
  p_outcomes catalog.outcomes[],
  p_keys catalog.outcome_key[],
  p_strikes catalog.strikes[]
) returns void
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  -- In the order of the indexes: random ids would touch another page of each index for every row.
  insert into catalog.outcome_keys
  select k.*
  from unnest(p_keys) k
  join unnest(p_changed) m on m.pair_id = k.pair_id
  order by k.pair_id, k.match_key
  on conflict (pair_id, match_key) do nothing;
  delete from catalog.outcomes o using unnest(p_changed) m where o.pair_id = m.pair_id;
  insert into catalog.outcomes
  select o.*
  from unnest(p_outcomes) o
  join unnest(p_changed) m on m.pair_id = o.pair_id
  order by o.pair_id, o.ordinal;
  delete from catalog.strikes l using unnest(p_changed) m where l.pair_id = m.pair_id;
  insert into catalog.strikes
  select l.*
  from unnest(p_strikes) l
  join unnest(p_changed) m on m.pair_id = l.pair_id
  order by l.pair_id, l.ordinal;
end
$$;
comment on function catalog.write_outcomes(
  catalog.changed_pair[], catalog.outcomes[], catalog.outcome_key[], catalog.strikes[]
) is
  'Stage 13 of catalog.run_match_pass: replaces the stored outcomes and strikes of the changed '
  'pairs, and adds new keys.';

create function catalog.withdrawal_code(p_question_a text, p_question_b text, p_rejected text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  return coalesce(
    (
      select 'not_listed'
      where 2 > (select count(*) from venue.questions q where q.question_id in (p_question_a, p_question_b))
    ),
    (
      select q.excluded_reason
      from venue.questions q
      where q.question_id in (p_question_a, p_question_b) and q.excluded_reason is not null
      limit 1
    ),
    p_rejected,
    'identity_changed'
  );
end
$$;
comment on function catalog.withdrawal_code(text, text, text) is
  'Part of catalog.run_match_pass: why a pair is withdrawn. p_rejected: the code of its '
  'candidate, if it is still one.';
