-- Resolution rules measured against settled pairs: did both venues pay the same? Only its record,
-- or that of its pool, confirms the parity of a rule. The first divergence withdraws the parity
-- until an operator has reviewed it.
--
-- Statistics: when none of n occasions diverged, the divergence rate of the rule is below
-- 1 - 0.05^(1/n) with 95 % confidence, one-sided (about 3/n, the rule of three). With k
-- divergences, the bound is the rate at which k or fewer of n have a probability of 5 % (Clopper
-- and Pearson). A rule is confirmed while that bound is at most 1 %: 299 occasions without a
-- divergence, 473 with one that a reviewer keeps.
--
-- Why 1 %: an arbitrage locks one or two cents on the dollar. A divergence loses both legs or wins
-- both, so at the bound its expected cost is half a cent. The bound can be met: of 2,564 settled
-- sports pairs that a public monitor watched in October 2026, one diverged (venues.md, source R2),
-- a bound of 0.19 % at the same confidence.
--
-- A game counts once, with all its betting lines and mirrored markets, and so does a day of a
-- strike ladder: its pairs settle together.
--
-- A rule that is too rare for 299 occasions may be pooled with the rules of other competitions that
-- have the same family, terms and texts: docs/decisions/009-pooled-rules.md.

create table catalog.parity_settings (
  singleton boolean primary key default true check (singleton),
  max_divergence_rate numeric not null default 0.01 check (max_divergence_rate > 0 and max_divergence_rate < 1),
  confidence numeric not null default 0.95 check (confidence > 0 and confidence < 1),
  min_own_occasions integer not null default 30 check (min_own_occasions >= 0),
  min_pool_own_occasions integer not null default 10 check (min_pool_own_occasions > 0),
  backtest_days integer not null default 120 check (backtest_days between 1 and 4000)
);
comment on table catalog.parity_settings is 'The one settings row of the parity gate.';
comment on column catalog.parity_settings.max_divergence_rate is
  'A rule is confirmed while the upper bound of its divergence rate is at most this.';
comment on column catalog.parity_settings.confidence is 'One-sided confidence of that bound.';
comment on column catalog.parity_settings.min_own_occasions is
  'Agreeing occasions that this service must have read itself, live or in the settled history of '
  'the venues, however large the figures of an operator are.';
comment on column catalog.parity_settings.min_pool_own_occasions is
  'Agreeing occasions that a rule itself must have before a pool can confirm it.';
comment on column catalog.parity_settings.backtest_days is
  'Days of settled history that a backtest reads.';
insert into catalog.parity_settings (singleton) values (true) on conflict do nothing;

create table catalog.backtests (
  rule_id text not null references catalog.rules (rule_id),
  source text not null check (source <> ''),
  from_date date not null,
  until_date date not null,
  agreeing integer not null check (agreeing >= 0),
  diverging integer not null check (diverging >= 0),
  note text,
  loaded_at timestamptz not null,
  primary key (rule_id, source, from_date),
  check (from_date <= until_date)
);
comment on table catalog.backtests is
  'Settled history of a rule from before this service saw it, loaded by an operator, with its '
  'source. It counts for parity together with the own record, and is reported separately.';

create table catalog.rule_reviews (
  review_id bigint generated always as identity primary key,
  rule_id text not null references catalog.rules (rule_id),
  decision text not null check (decision in ('keep', 'dismiss', 'refuse')),
  reviewer text not null check (reviewer <> ''),
  note text not null check (note <> ''),
  diverging integer not null,
  reviewed_at timestamptz not null
);
comment on table catalog.rule_reviews is
  'Decisions of reviewers, never changed: keep (divergences count), dismiss (false pair or '
  'clerical error: they do not count), refuse (no parity until a later decision).';
comment on column catalog.rule_reviews.diverging is
  'Divergences known at the review, backtests included. The next divergence withdraws parity '
  'again.';
create index rule_reviews_by_rule on catalog.rule_reviews (rule_id, review_id);

create index pairs_settled_by_rule on catalog.pairs (rule_id) where status = 'settled';
-- For catalog.divergences: without it each request of /v2/rules reads every settled pair (34 ms
-- instead of 11 ms with 30,000 of them).
create index pairs_diverged on catalog.pairs (rule_id)
  where status = 'settled' and result -> 'venues_agree' = 'false';
create index pairs_active_by_rule on catalog.pairs (rule_id, change_no)
  where withdrawn_at is null and status in ('open', 'live', 'resolving');

alter table catalog.parity_settings enable row level security;
alter table catalog.parity_settings force row level security;
create policy "the api reads the parity settings" on catalog.parity_settings for select to parallax_api using (true);
grant select on catalog.parity_settings to parallax_api;
alter table catalog.backtests enable row level security;
alter table catalog.backtests force row level security;
alter table catalog.rule_reviews enable row level security;
alter table catalog.rule_reviews force row level security;

create function catalog.divergence_bound(p_diverging bigint, p_occasions bigint, p_confidence numeric) returns numeric
language plpgsql immutable
set search_path = ''
as $$
-- A probability, not money: the result needs six decimals, and doubles have fifteen.
declare
  v_low double precision := 0;
  v_high double precision := 1;
  v_rate double precision;
  v_term double precision;
  v_chance double precision;
begin
  if p_occasions <= 0 or p_diverging >= p_occasions then
    return 1;
  end if;
  for i in 1..50 loop
    v_rate := (v_low + v_high) / 2;
    -- The probability of at most p_diverging at this rate. Below e^-700 it counts as 0, because
    -- exp() would raise an error.
    v_chance := 0;
    if p_occasions * ln(1 - v_rate) > -700 then
      v_term := exp(p_occasions * ln(1 - v_rate));
      v_chance := v_term;
      for k in 1..p_diverging loop
        v_term := v_term * (p_occasions - k + 1) / k * v_rate / (1 - v_rate);
        v_chance := v_chance + v_term;
      end loop;
    end if;
    if v_chance > 1 - p_confidence then
      v_low := v_rate;
    else
      v_high := v_rate;
    end if;
  end loop;
  return round(v_high::numeric, 6);
end
$$;
comment on function catalog.divergence_bound(bigint, bigint, numeric) is
  'Upper bound of the true divergence rate with this one-sided confidence, when p_diverging of '
  'p_occasions diverged; 1 when nothing is known.';

create function catalog.settled_occasion_of(
  p_game_id uuid,
  p_market_type text,
  p_start_time timestamptz,
  p_event_a text
) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p_game_id is not null then p_game_id::text
    when p_market_type in (select f.family from catalog.market_families() f where f.occasion = 'day')
      then (p_start_time at time zone 'America/New_York')::date::text
    else p_event_a
  end
$$;
comment on function catalog.settled_occasion_of(uuid, text, timestamptz, text) is
  'The occasion that a settled pair counts as for its rule: its game, its day or its event. Pairs '
  'of one occasion settle together, so they count once.';

create function catalog.count_rule_records(p_rules text[]) returns table (
  rule_id text, agreeing bigint, diverging bigint, edge_cases bigint, first_at timestamptz, last_at timestamptz,
  backtest_agreeing bigint, backtest_diverging bigint, reviewed bigint, dismissed bigint, refused boolean
)
language sql stable
set search_path = ''
as $$
  with live as (
    select p.rule_id,
           catalog.settled_occasion_of(p.game_id, p.market_type::text, p.start_time, p.event_a) as occasion,
           -- Payouts at two prices are a divergence, also for a refund: a holder of both sides
           -- loses or gains by it.
           bool_or(p.result -> 'venues_agree' = 'false') as diverged,
           bool_or(p.result ->> 'verdict' = 'edge_case') as odd,
           max((p.result ->> 'settled_at')::timestamptz) as settled_at
    from catalog.pairs p
    where p.status = 'settled'
      and p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.result ->> 'venues_agree' is not null
      and (p_rules is null or p.rule_id = any (p_rules))
    group by 1, 2
  ), occasions as (
    -- An occasion that was seen live and read in the history again counts once.
    select u.rule_id, u.occasion, bool_or(u.diverged) as diverged, bool_or(u.odd) as odd,
           min(u.settled_at) as settled_at
    from (
      select l.rule_id, l.occasion, l.diverged, l.odd, l.settled_at
      from live l
      union all
      select b.rule_id, b.occasion, b.diverged, b.odd, b.settled_at
      from catalog.backtest_occasions b
      where p_rules is null or b.rule_id = any (p_rules)
    ) u
    group by u.rule_id, u.occasion
  ), own as (
    select o.rule_id,
           count(*) filter (where not o.diverged) as agreeing,
           count(*) filter (where o.diverged) as diverging,
           count(*) filter (where o.odd and not o.diverged) as edge_cases,
           min(o.settled_at) as first_at,
           max(o.settled_at) as last_at
    from occasions o
    group by o.rule_id
  ), backtested as (
    select b.rule_id, sum(b.agreeing)::bigint as agreeing, sum(b.diverging)::bigint as diverging
    from catalog.backtests b
    where p_rules is null or b.rule_id = any (p_rules)
    group by b.rule_id
  ), reviews as (
    select v.rule_id,
           (array_agg(v.diverging order by v.review_id desc))[1]::bigint as reviewed,
           max(v.diverging) filter (where v.decision = 'dismiss')::bigint as dismissed,
           (array_agg(v.decision order by v.review_id desc))[1] = 'refuse' as refused
    from catalog.rule_reviews v
    where p_rules is null or v.rule_id = any (p_rules)
    group by v.rule_id
  )
  select r.rule_id, coalesce(o.agreeing, 0), coalesce(o.diverging, 0), coalesce(o.edge_cases, 0),
         o.first_at, o.last_at, coalesce(b.agreeing, 0), coalesce(b.diverging, 0),
         coalesce(v.reviewed, 0), coalesce(v.dismissed, 0), coalesce(v.refused, false)
  from catalog.rules r
  left join own o on o.rule_id = r.rule_id
  left join backtested b on b.rule_id = r.rule_id
  left join reviews v on v.rule_id = r.rule_id
  where p_rules is null or r.rule_id = any (p_rules)
$$;
comment on function catalog.count_rule_records(text[]) is
  'The record of each rule (null: of all): occasions seen live or read in the settled history, '
  'figures of an operator, and the divergences that reviewers have seen.';

create function catalog.judge_rules(p_rules text[]) returns table (
  rule_id text, state text, agreeing bigint, diverging bigint, edge_cases bigint, first_at timestamptz,
  last_at timestamptz, all_agreeing bigint, counted bigint, bound numeric, pool_rules integer, pool_agreeing bigint,
  pool_bound numeric, because text
)
language sql stable
set search_path = ''
as $$
  with weighed as (
    select k.*, r.pool_key, k.agreeing + k.backtest_agreeing as all_agreeing,
           greatest(0, k.diverging + k.backtest_diverging - k.dismissed) as counted,
           k.refused or k.diverging + k.backtest_diverging > k.reviewed as is_withdrawn
    from catalog.count_rule_records(p_rules) k
    join catalog.rules r on r.rule_id = k.rule_id
  ), pools as (
    -- One divergence in any rule of a pool ends the pool, also a dismissed one.
    select w.pool_key, count(*)::integer as rules, sum(w.all_agreeing)::bigint as all_agreeing,
           sum(w.agreeing)::bigint as agreeing
    from weighed w
    where w.pool_key is not null
    group by w.pool_key
    having count(*) > 1 and not bool_or(w.is_withdrawn or w.diverging + w.backtest_diverging > 0)
  ), bounded as (
    select w.*, s.max_divergence_rate, s.confidence, o.rules as pool_rules, o.all_agreeing as pool_agreeing,
           catalog.divergence_bound(w.counted, w.all_agreeing + w.counted, s.confidence) as bound,
           case when o.rules is not null then catalog.divergence_bound(0, o.all_agreeing, s.confidence) end
             as pool_bound,
           w.agreeing >= s.min_own_occasions as seen_enough,
           w.agreeing >= s.min_pool_own_occasions and o.agreeing >= s.min_own_occasions as pool_seen_enough
    from weighed w
    cross join catalog.parity_settings s
    left join pools o on o.pool_key = w.pool_key
  ), decided as (
    select j.*, not j.is_withdrawn and j.seen_enough and j.bound <= j.max_divergence_rate as confirmed,
           coalesce(not j.is_withdrawn and j.pool_seen_enough and j.pool_bound <= j.max_divergence_rate, false)
             as pooled
    from bounded j
  )
  select d.rule_id,
         case
           when d.refused then 'refused'
           when d.is_withdrawn then 'withdrawn'
           when d.confirmed then 'confirmed'
           when d.pooled then 'pooled'
           else 'unconfirmed'
         end,
         d.agreeing, d.diverging, d.edge_cases, d.first_at, d.last_at, d.all_agreeing, d.counted, d.bound,
         d.pool_rules, case when d.pool_rules is not null then d.pool_agreeing end, d.pool_bound,
         format(
           '%s occasions agreed, %s diverged%s%s: at most %s %% diverge (%s %% confidence, one-sided), %s %% is '
           'allowed%s.%s',
           d.all_agreeing, d.counted,
           case
             when d.backtest_agreeing + d.backtest_diverging > 0
               then format(', %s of them from figures of an operator', d.backtest_agreeing + d.backtest_diverging)
           end,
           case when d.dismissed > 0 then format(', %s more dismissed in review', d.dismissed) end,
           trim_scale(round(d.bound * 100, 2)), trim_scale(d.confidence * 100),
           trim_scale(d.max_divergence_rate * 100),
           case when not d.seen_enough then ', and too few were seen by this service itself' end,
           case
             when d.pooled and not d.confirmed then format(
               ' Pooled with %s rules of equal terms and texts: %s occasions agreed, none diverged, so at most %s %% '
               'diverge.',
               d.pool_rules - 1, d.pool_agreeing, trim_scale(round(d.pool_bound * 100, 2))
             )
           end
         )
  from decided d
$$;
comment on function catalog.judge_rules(text[]) is
  'The state of each rule (null: of all) by its record, and by that of its pool. p_rules must '
  'hold all rules of a pool.';

create function catalog.update_rule_parity(p_rules text[] default null) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_rules text[];
  v_changed integer;
begin
  -- A rule that changes also changes the rules of its pool.
  if p_rules is not null then
    v_rules := array(
      select r.rule_id
      from catalog.rules r
      where r.rule_id = any (p_rules)
        or r.pool_key in (select m.pool_key from catalog.rules m where m.rule_id = any (p_rules))
    );
  end if;
  -- Locks the rules before it counts: two transactions that settle pairs of one rule at once would
  -- each miss the pairs of the other.
  perform from catalog.rules r where v_rules is null or r.rule_id = any (v_rules) order by r.rule_id for update;
  with moved as (
    update catalog.rules r
    set state = d.state,
        agreeing = d.agreeing,
        diverging = d.diverging,
        edge_cases = d.edge_cases,
        first_at = d.first_at,
        last_at = d.last_at,
        confirmed_at = case when d.state in ('confirmed', 'pooled') then coalesce(r.confirmed_at, v_now) end,
        confirmed_because = d.because,
        record_agreeing = d.all_agreeing,
        record_diverging = d.counted,
        record_bound = d.bound,
        pool_rules = d.pool_rules,
        pool_agreeing = d.pool_agreeing,
        pool_bound = d.pool_bound,
        withdrawn_at = case when d.state in ('withdrawn', 'refused') then coalesce(r.withdrawn_at, v_now) end,
        parity_change_no = case
          when (d.state in ('confirmed', 'pooled')) <> (r.confirmed_at is not null and r.withdrawn_at is null)
            then nextval('catalog.change_numbers')
          else r.parity_change_no
        end
    from catalog.judge_rules(v_rules) d
    where d.rule_id = r.rule_id
      and (
        r.state, r.agreeing, r.diverging, r.edge_cases, r.first_at, r.last_at, r.confirmed_because, r.record_agreeing,
        r.record_diverging, r.record_bound, r.pool_rules, r.pool_agreeing, r.pool_bound,
        r.confirmed_at is not null, r.withdrawn_at is not null
      ) is distinct from (
        d.state, d.agreeing, d.diverging, d.edge_cases, d.first_at, d.last_at, d.because, d.all_agreeing,
        d.counted, d.bound, d.pool_rules, d.pool_agreeing, d.pool_bound,
        d.state in ('confirmed', 'pooled'), d.state in ('withdrawn', 'refused')
      )
    returning 1
  )
  select count(*) into v_changed
  from moved;
  return v_changed;
end
$$;
comment on function catalog.update_rule_parity(text[]) is
  'Counts the record of these rules and their pools (null: of all) from scratch and confirms or '
  'withdraws their parity. A second run changes nothing. Returns the number of changed rows.';

create function catalog.publish_parity_changes(p_limit integer default 2000) returns integer
language sql volatile
set search_path = ''
as $$
  with stale as (
    select p.pair_id
    from catalog.rules r
    join catalog.pairs p on p.rule_id = r.rule_id and p.change_no < r.parity_change_no
    where p.withdrawn_at is null
      and p.status in ('open', 'live', 'resolving')
    limit p_limit
  ), marked as (
    update catalog.pairs p
    set change_no = nextval('catalog.change_numbers')
    from stale s
    where p.pair_id = s.pair_id
    returning 1
  )
  select count(*)::integer
  from marked
$$;
comment on function catalog.publish_parity_changes(integer) is
  'Raises change_no of up to p_limit active pairs whose rule gained or lost parity since their '
  'last change. The next call continues. Returns how many.';
