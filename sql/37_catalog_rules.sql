-- Resolution rules measured against settled pairs: did both venues pay the same? Only the record of
-- a rule confirms its parity. The first divergence withdraws the parity until an operator has
-- reviewed it.
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

create table catalog.parity_settings (
  singleton boolean primary key default true check (singleton),
  max_divergence_rate numeric not null default 0.01 check (max_divergence_rate > 0 and max_divergence_rate < 1),
  confidence numeric not null default 0.95 check (confidence > 0 and confidence < 1),
  min_own_occasions integer not null default 30 check (min_own_occasions >= 0)
);
comment on table catalog.parity_settings is 'The one settings row of the parity gate.';
comment on column catalog.parity_settings.max_divergence_rate is
  'A rule is confirmed while the upper bound of its divergence rate is at most this.';
comment on column catalog.parity_settings.confidence is 'One-sided confidence of that bound.';
comment on column catalog.parity_settings.min_own_occasions is
  'Agreeing occasions that this service itself must have seen, however large a backtest is.';
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
create index pairs_active_by_rule on catalog.pairs (rule_id, change_no)
  where withdrawn_at is null and status in ('open', 'live', 'resolving');

alter table catalog.parity_settings enable row level security;
alter table catalog.parity_settings force row level security;
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

create function catalog.settled_occasion_of(p_pair catalog.pairs) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p_pair.game_id is not null then p_pair.game_id::text
    when p_pair.market_type in (select f.family from catalog.market_families() f where f.occasion = 'day')
      then (p_pair.start_time at time zone 'America/New_York')::date::text
    else p_pair.event_a
  end
$$;
comment on function catalog.settled_occasion_of(catalog.pairs) is
  'The occasion that a settled pair counts as for its rule: its game, its day or its event. Pairs '
  'of one occasion settle together, so they count once.';

create function catalog.count_rule_records(p_rules text[]) returns table (
  rule_id text, agreeing bigint, diverging bigint, edge_cases bigint, backtest_agreeing bigint,
  backtest_diverging bigint, reviewed bigint, dismissed bigint, refused boolean
)
language sql stable
set search_path = ''
as $$
  with occasions as (
    select p.rule_id, catalog.settled_occasion_of(p) as occasion,
           -- Payouts at two prices are a divergence, also for a refund: a holder of both sides
           -- loses or gains by it.
           bool_or(p.result -> 'venues_agree' = 'false') as diverged,
           bool_or(p.result ->> 'verdict' = 'edge_case') as odd
    from catalog.pairs p
    where p.status = 'settled'
      and p.withdrawn_at is null
      and p.stage = 'catalog'
      and p.result ->> 'venues_agree' is not null
      and (p_rules is null or p.rule_id = any (p_rules))
    group by 1, 2
  ), own as (
    select o.rule_id,
           count(*) filter (where not o.diverged) as agreeing,
           count(*) filter (where o.diverged) as diverging,
           count(*) filter (where o.odd and not o.diverged) as edge_cases
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
         coalesce(b.agreeing, 0), coalesce(b.diverging, 0),
         coalesce(v.reviewed, 0), coalesce(v.dismissed, 0), coalesce(v.refused, false)
  from catalog.rules r
  left join own o on o.rule_id = r.rule_id
  left join backtested b on b.rule_id = r.rule_id
  left join reviews v on v.rule_id = r.rule_id
  where p_rules is null or r.rule_id = any (p_rules)
$$;
comment on function catalog.count_rule_records(text[]) is
  'The record of each rule (null: of all), counted from the settled pairs: own occasions, '
  'backtests, and the divergences that reviewers have seen.';

create function catalog.update_rule_parity(p_rules text[] default null) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_now timestamptz := clock.now();
  v_changed integer;
begin
  -- Locks the rules before it counts: two transactions that settle pairs of one rule at once would
  -- each miss the pairs of the other.
  perform from catalog.rules r where p_rules is null or r.rule_id = any (p_rules) order by r.rule_id for update;
  with weighed as (
    select k.*, k.agreeing + k.backtest_agreeing as all_agreeing,
           greatest(0, k.diverging + k.backtest_diverging - k.dismissed) as counted,
           k.refused or k.diverging + k.backtest_diverging > k.reviewed as is_withdrawn
    from catalog.count_rule_records(p_rules) k
  ), bounded as (
    select w.*, s.max_divergence_rate, s.confidence,
           catalog.divergence_bound(w.counted, w.all_agreeing + w.counted, s.confidence) as bound,
           w.agreeing >= s.min_own_occasions as seen_enough
    from weighed w
    cross join catalog.parity_settings s
  ), decided as (
    select j.*, not j.is_withdrawn and j.seen_enough and j.bound <= j.max_divergence_rate as confirmed,
           format(
             '%s occasions agreed, %s diverged%s%s: at most %s %% diverge (%s %% confidence, one-sided), %s %% is '
             'allowed%s.',
             j.all_agreeing, j.counted,
             case
               when j.backtest_agreeing + j.backtest_diverging > 0
                 then format(', %s of them from backtests', j.backtest_agreeing + j.backtest_diverging)
             end,
             case when j.dismissed > 0 then format(', %s more dismissed in review', j.dismissed) end,
             trim_scale(round(j.bound * 100, 2)), trim_scale(j.confidence * 100),
             trim_scale(j.max_divergence_rate * 100),
             case when not j.seen_enough then ', and too few were seen by this service itself' end
           ) as because
    from bounded j
  ), moved as (
    update catalog.rules r
    set agreeing = d.agreeing,
        diverging = d.diverging,
        edge_cases = d.edge_cases,
        confirmed_at = case when d.confirmed then coalesce(r.confirmed_at, v_now) end,
        confirmed_because = d.because,
        record_agreeing = d.all_agreeing,
        record_diverging = d.counted,
        record_bound = d.bound,
        withdrawn_at = case when d.is_withdrawn then coalesce(r.withdrawn_at, v_now) end,
        parity_change_no = case
          when d.confirmed <> (r.confirmed_at is not null and r.withdrawn_at is null)
            then nextval('catalog.change_numbers')
          else r.parity_change_no
        end
    from decided d
    where d.rule_id = r.rule_id
      and (
        r.agreeing, r.diverging, r.edge_cases, r.confirmed_at is not null, r.withdrawn_at is not null,
        r.confirmed_because, r.record_agreeing, r.record_diverging, r.record_bound
      ) is distinct from (
        d.agreeing, d.diverging, d.edge_cases, d.confirmed, d.is_withdrawn, d.because, d.all_agreeing, d.counted,
        d.bound
      )
    returning 1
  )
  select count(*) into v_changed
  from moved;
  return v_changed;
end
$$;
comment on function catalog.update_rule_parity(text[]) is
  'Counts the record of these rules (null: of all) from scratch and confirms or withdraws their '
  'parity. A second run changes nothing. Returns the number of changed rows.';

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
