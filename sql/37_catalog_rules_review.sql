-- How operators work with a resolution rule: read its record, review it, load settled history.

create function catalog.rule_summary(p_rule_id text) returns jsonb
language sql stable
set search_path = ''
as $$
  select to_jsonb(r) - 'parity_change_no' || jsonb_build_object(
    'parity', r.confirmed_at is not null and r.withdrawn_at is null,
    'backtests', (
      select coalesce(jsonb_agg(to_jsonb(b) - 'rule_id' order by b.from_date, b.source), '[]')
      from catalog.backtests b
      where b.rule_id = r.rule_id
    ),
    'reviews', (
      select coalesce(jsonb_agg(to_jsonb(v) - 'rule_id' order by v.review_id), '[]')
      from catalog.rule_reviews v
      where v.rule_id = r.rule_id
    )
  )
  from catalog.rules r
  where r.rule_id = p_rule_id
$$;
comment on function catalog.rule_summary(text) is
  'A rule with its own record, its backtests and its reviews; null for an unknown id.';

create function catalog.review_rule(p_rule_id text, p_decision text, p_reviewer text, p_note text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_diverging bigint;
begin
  perform from catalog.rules r where r.rule_id = p_rule_id for update;
  if not found then
    raise exception 'there is no rule "%"', p_rule_id
      using errcode = '22023', hint = 'ops.explain(<ticker or slug>) returns the rule_id of a pair.';
  end if;
  select k.diverging + k.backtest_diverging into v_diverging from catalog.count_rule_records(array[p_rule_id]) k;
  insert into catalog.rule_reviews (rule_id, decision, reviewer, note, diverging, reviewed_at)
  values (p_rule_id, p_decision, trim(p_reviewer), trim(p_note), v_diverging, clock.now());
  perform catalog.update_rule_parity(array[p_rule_id]);
  return catalog.rule_summary(p_rule_id);
end
$$;
comment on function catalog.review_rule(text, text, text, text) is
  'Stores the decision of an operator about a rule (keep, dismiss, refuse) and updates its '
  'parity. Returns catalog.rule_summary.';

create function catalog.load_backtest(p_rows jsonb) returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_row record;
  v_rules text[] := '{}';
begin
  for v_row in
    select b.*, r.first_seen_at
    from jsonb_to_recordset(p_rows) as b (
      rule_id text, source text, from_date date, until_date date, agreeing integer, diverging integer, note text
    )
    left join catalog.rules r on r.rule_id = b.rule_id
  loop
    if v_row.first_seen_at is null then
      raise exception 'there is no rule "%"', v_row.rule_id using errcode = '22023';
    end if;
    -- Occasions that this service has seen itself would count twice.
    if v_row.until_date >= (v_row.first_seen_at at time zone 'UTC')::date then
      raise exception 'history of "%" must end before %, when this service first saw it', v_row.rule_id,
        v_row.first_seen_at::date
        using errcode = '22023';
    end if;
    insert into catalog.backtests as b (rule_id, source, from_date, until_date, agreeing, diverging, note, loaded_at)
    values (
      v_row.rule_id, trim(v_row.source), v_row.from_date, v_row.until_date, v_row.agreeing, v_row.diverging, v_row.note,
      clock.now()
    )
    on conflict (rule_id, source, from_date) do update
    set until_date = excluded.until_date,
        agreeing = excluded.agreeing,
        diverging = excluded.diverging,
        note = excluded.note,
        loaded_at = excluded.loaded_at;
    v_rules := v_rules || v_row.rule_id;
  end loop;
  perform catalog.update_rule_parity(v_rules);
  return cardinality(v_rules);
end
$$;
comment on function catalog.load_backtest(jsonb) is
  'Loads backtests [{rule_id, source, from_date, until_date, agreeing, diverging, note}], counted '
  'in occasions. A row with the same rule_id, source and from_date is replaced.';
