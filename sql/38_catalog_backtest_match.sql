-- The last step of a backtest: pairs the settled listings of a scope with the stages of the match
-- pass, compares what both venues paid, and keeps the occasions and the divergences.

create type catalog.settled_pair as (
  pair_id uuid,
  rule_id text,
  occasion text,
  question_a text,
  question_b text,
  event_a text,
  event_b text,
  text_a text,
  text_b text,
  alike boolean,
  odd boolean,
  paid jsonb,
  settled_at timestamptz,
  competition text
);
comment on type catalog.settled_pair is
  'A settled pair of a backtest with its rule, its occasion and what both venues paid.';

-- The stages of the match pass for settled listings: copies of the same functions that read the
-- tables venue.settled_* instead. A stage with a parameter for the set of listings would not do:
-- its query would be a union of both tables, into which the planner pushes no condition. That took
-- 34 s for 4,400 questions; the copy takes 0.1 s.
do $$
declare
  v_stages text := 'moved_onto|evaluate_candidates|choose_pairs|collect_pair_facts|changed_choices|assess_pairs|'
                   'assemble_pairs|build_legs|build_outcomes|build_ladder_outcomes|build_strikes|compare_payouts';
  v_stage record;
begin
  -- In the order of their calls: the body of an SQL function is checked when it is created.
  for v_stage in
    select p.oid, p.proname, pg_get_functiondef(p.oid) as definition
    from pg_catalog.pg_proc p
    where p.pronamespace = 'catalog'::regnamespace
      and p.proname in (select regexp_split_to_table(v_stages, '\|'))
    order by p.oid
  loop
    execute regexp_replace(
      regexp_replace(
        v_stage.definition, '\mvenue\.(events|markets|contracts|questions|legs)\M', 'venue.settled_\1', 'g'
      ),
      '\mcatalog\.(' || v_stages || ')\M', 'catalog.settled_\1', 'g'
    );
    execute format(
      'comment on function %s is %L',
      (
        select n.oid::regprocedure
        from pg_catalog.pg_proc n
        where n.pronamespace = 'catalog'::regnamespace
          and n.proname = 'settled_' || v_stage.proname
      ),
      format('catalog.%s for settled listings: the same body with venue.settled_* for venue.*.', v_stage.proname)
    );
  end loop;
end
$$;

create function catalog.pair_settled_listings(out pairs catalog.settled_pair[], out unsettled integer)
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_candidates catalog.candidate[];
  v_chosen catalog.chosen_pair[];
  v_assessed catalog.assessed_pairs[];
  v_pairs catalog.new_pair[];
  v_legs catalog.pair_leg[];
  v_outcomes catalog.outcomes[];
  v_strikes catalog.strikes[];
begin
  -- The stages of catalog.run_match_pass. None of them reads a result: settled_compare_payouts is
  -- the first that does.
  v_candidates := array(select c from catalog.settled_evaluate_candidates() c);
  v_candidates := array(select c from catalog.settled_choose_pairs(v_candidates) c);
  v_chosen := array(select c from catalog.settled_changed_choices(v_candidates) c);
  v_assessed := array(select a from catalog.settled_assess_pairs(v_chosen) a);
  v_legs := array(select l from catalog.settled_build_legs(v_chosen) l);
  v_outcomes := array(select o from catalog.settled_build_outcomes(v_chosen, v_legs) o);
  v_strikes := array(select s from catalog.settled_build_strikes(v_chosen) s);
  v_pairs := array(
    select p
    from catalog.settled_assemble_pairs(v_chosen, v_assessed, v_legs, v_outcomes) p
    where p.stage = 'catalog'
  );
  with compared as materialized (
    select c.* from catalog.settled_compare_payouts(v_outcomes, v_strikes) c
  ), settled as materialized (
    select o.pair_id, max(greatest(a.settled_at, b.settled_at)) as settled_at
    from unnest(v_outcomes) o
    left join venue.settled_markets a on a.venue = 'venue_a' and a.market_id = o.market_a
    left join venue.settled_markets b on b.venue = 'venue_b' and b.market_id = o.market_b
    group by o.pair_id
  )
  select
    coalesce(
      array_agg(
        row(
          p.pair_id, p.rule_id,
          catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a),
          p.question_a, p.question_b, p.event_a, p.event_b, p.text_a, p.text_b, c.alike,
          not (c.whole_a and c.whole_b), c.paid, coalesce(t.settled_at, p.start_time), p.competition
        )::catalog.settled_pair
      ) filter (where c.final and c.alike is not null),
      '{}'
    ),
    count(*) filter (where not coalesce(c.final and c.alike is not null, false))
  into pairs, unsettled
  from unnest(v_pairs) p
  left join compared c on c.pair_id = p.pair_id
  left join settled t on t.pair_id = p.pair_id;
end
$$;
comment on function catalog.pair_settled_listings() is
  'Pairs the settled listings with the stages of the match pass and compares the payouts. '
  'unsettled: pairs that cannot be compared, because a result is missing.';

create function catalog.settled_listing(p_venue venue.code, p_event text, p_question text) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_build_object(
    'event', e.event_id, 'title', e.title, 'url', e.url,
    'markets', (
      select jsonb_agg(
        jsonb_build_object(
          'market', m.market_id, 'title', m.title, 'payout', trim_scale(m.payout)::text, 'settled_at', m.settled_at
        )
        order by m.market_id
      )
      from venue.settled_markets m
      where m.venue = p_venue
        and m.market_id in (select l.market_id from venue.settled_legs l where l.question_id = p_question)
    )
  )
  from venue.settled_events e
  where e.venue = p_venue
    and e.event_id = p_event
$$;
comment on function catalog.settled_listing(venue.code, text, text) is
  'A settled listing as evidence: {event, title, url, markets: [{market, title, payout, '
  'settled_at}]}.';

create function catalog.keep_settled_pairs(p_pairs catalog.settled_pair[]) returns text[]
language plpgsql volatile
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
begin
  insert into catalog.rules (rule_id, description, first_seen_at, competition)
  select p.rule_id, p.rule_id, clock.now(), max(p.competition)
  from unnest(p_pairs) p
  group by p.rule_id
  on conflict (rule_id) do nothing;
  insert into catalog.backtest_occasions as o (rule_id, occasion, diverged, odd, pairs, settled_at)
  select p.rule_id, p.occasion, bool_or(not p.alike), bool_or(p.odd), count(*), max(p.settled_at)
  from unnest(p_pairs) p
  group by p.rule_id, p.occasion
  on conflict (rule_id, occasion) do update
  set (diverged, odd, pairs, settled_at) = (excluded.diverged, excluded.odd, excluded.pairs, excluded.settled_at)
  where (o.diverged, o.odd, o.pairs, o.settled_at)
    is distinct from (excluded.diverged, excluded.odd, excluded.pairs, excluded.settled_at);
  insert into catalog.backtest_divergences (
    rule_id, pair_id, occasion, settled_at, listing_a, listing_b, text_a, text_b, paid
  )
  select p.rule_id, p.pair_id, p.occasion, p.settled_at,
         catalog.settled_listing('venue_a', p.event_a, p.question_a),
         catalog.settled_listing('venue_b', p.event_b, p.question_b), p.text_a, p.text_b, p.paid
  from unnest(p_pairs) p
  where not p.alike
  on conflict (rule_id, pair_id) do nothing;
  insert into catalog.rule_texts (rule_id, text_form)
  select distinct p.rule_id, md5(concat_ws('|', a.identity ->> 'text_form', b.identity ->> 'text_form'))
  from unnest(p_pairs) p
  join venue.settled_questions a on a.question_id = p.question_a and a.identity ? 'text_form'
  join venue.settled_questions b on b.question_id = p.question_b and b.identity ? 'text_form'
  on conflict (rule_id, text_form) do nothing;
  return array(select distinct p.rule_id from unnest(p_pairs) p);
end
$$;
comment on function catalog.keep_settled_pairs(catalog.settled_pair[]) is
  'Keeps the occasions, the evidence of divergences and the forms of the texts. The same pairs '
  'again change nothing. Returns their rules.';

create function catalog.set_pool_keys(p_rules text[]) returns void
language sql volatile
set search_path = ''
as $$
  -- The same family and terms, and the same set of texts apart from names, dates and numbers.
  update catalog.rules r
  set pool_key = f.pool_key
  from (
    select k.rule_id,
           md5(concat_ws(
             '|', k.family, substring(k.rule_id from 'venue_a: .*$'),
             (
               select string_agg(t.text_form, '|' order by t.text_form)
               from catalog.rule_texts t
               where t.rule_id = k.rule_id
             )
           )) as pool_key
    from catalog.rules k
    where k.rule_id = any (p_rules)
      and exists (select from catalog.rule_texts t where t.rule_id = k.rule_id)
  ) f
  where r.rule_id = f.rule_id
    and r.pool_key is distinct from f.pool_key
$$;
comment on function catalog.set_pool_keys(text[]) is
  'Part of catalog.match_backtest: sets catalog.rules.pool_key of these rules.';

create function catalog.match_backtest(p_token bigint, p_scope text) returns jsonb
language plpgsql volatile
set search_path = ''
as $$
declare
  v_read record;
  v_rules text[];
begin
  if not catalog.holds_backtest(p_token) then
    return null;
  end if;
  -- A worker that lost its lease may still be matching. Its successor waits: both would give the
  -- same record.
  if not pg_try_advisory_xact_lock(hashtextextended('catalog.match_backtest', 0)) then
    return jsonb_build_object('scope', p_scope, 'skipped', true);
  end if;
  perform from catalog.backtest_scopes s where s.scope = p_scope and s.state = 'matching';
  if not found then
    return jsonb_build_object('scope', p_scope, 'skipped', true);
  end if;
  analyze venue.settled_events, venue.settled_markets, venue.settled_contracts, venue.settled_questions,
    venue.settled_legs;
  select * into v_read from catalog.pair_settled_listings();
  v_rules := catalog.keep_settled_pairs(v_read.pairs);
  -- The pools of before and after.
  perform catalog.update_rule_parity(v_rules);
  perform catalog.set_pool_keys(v_rules);
  perform catalog.update_rule_parity(v_rules);
  perform venue.clear_settled_listings();
  update catalog.backtest_scopes s
  set state = 'done',
      pairs = cardinality(v_read.pairs),
      unsettled = v_read.unsettled,
      occasions = (select count(distinct p.occasion) from unnest(v_read.pairs) p),
      diverging = (select count(distinct p.occasion) from unnest(v_read.pairs) p where not p.alike),
      finished_at = clock_timestamp(),
      failures = 0,
      retry_at = null,
      last_error = null
  where s.scope = p_scope;
  return jsonb_build_object('scope', p_scope, 'pairs', cardinality(v_read.pairs), 'rules', cardinality(v_rules));
end
$$;
comment on function catalog.match_backtest(bigint, text) is
  'Matches the settled listings of a scope, keeps the record, updates parity, and empties the '
  'tables. Returns {scope, pairs, rules}; {scope, skipped} while another worker matches; or null.';

create view catalog.divergences with (security_invoker = true) as
select d.rule_id, d.occasion, 'backtest' as source, d.settled_at, d.listing_a ->> 'event' as event_a,
       d.listing_b ->> 'event' as event_b, d.listing_a ->> 'title' as title_a, d.listing_b ->> 'title' as title_b,
       d.text_a, d.text_b, d.paid
from catalog.backtest_divergences d
union all
select p.rule_id, catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a), 'live',
       (p.result ->> 'settled_at')::timestamptz, p.event_a, p.event_b, p.title, p.title, p.text_a, p.text_b,
       p.result -> 'paid'
from catalog.pairs p
where p.status = 'settled'
  and p.withdrawn_at is null
  and p.stage = 'catalog'
  and p.result -> 'venues_agree' = 'false'
  -- A divergence that the history contains as well is listed once.
  and not exists (
    select from catalog.backtest_divergences d where d.rule_id = p.rule_id and d.pair_id = p.pair_id
  );
comment on view catalog.divergences is
  'Every divergence of a rule, seen live or in the settled history, with both texts and both '
  'results.';
create policy "the api reads divergences" on catalog.backtest_divergences for select to parallax_api using (true);
grant select on catalog.backtest_divergences, catalog.divergences to parallax_api;
grant execute on function catalog.settled_occasion_of(uuid, text, timestamptz, text) to parallax_api;

revoke all on function
  catalog.pair_settled_listings(),
  catalog.settled_listing(venue.code, text, text),
  catalog.keep_settled_pairs(catalog.settled_pair[]),
  catalog.set_pool_keys(text[]),
  catalog.match_backtest(bigint, text)
from public;
