-- Sentences of risk notes: what each contract pays in an exceptional case, and what a $1 pair then
-- returns. "A $1 pair" is one contract of each outcome, some on venue_a and the others on venue_b.
-- It costs about $1 and returns $1 when both venues settle alike.

create function catalog.hours_text(p_hours integer) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_hours > 48 and p_hours % 24 = 0 then format('%s days', p_hours / 24)
    when p_hours = 1 then '1 hour'
    else format('%s hours', p_hours)
  end
$$;
comment on function catalog.hours_text(integer) is
  'A duration in words: in days for whole days above 48 hours, else in hours.';

create function catalog.describe_waiting_period(p_patience jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_patience, 'null') = 'null' then 'does not say how long it waits'
    when p_patience = '"until_played"' then 'waits until it is played'
    else 'waits ' || catalog.hours_text((p_patience #>> '{}')::integer)
  end
$$;
comment on function catalog.describe_waiting_period(jsonb) is
  'How long a contract waits for a postponed game, in words.';

create function catalog.describe_payout(p_payout text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_payout
    when 'fair_price' then 'pays a fair market price'
    when 'split' then 'pays 50 cents on each side'
    when 'zero' then 'pays $0 on every outcome'
    when 'one_side' then 'pays one side in full'
    when 'no' then 'resolves to No'
    when 'yes' then 'resolves to Yes'
    when 'draw' then 'pays the draw'
    when 'own_outcome' then 'has a market of its own for it'
    when 'no_change' then 'resolves to no change'
    when 'winner' then 'pays the official winner or the side that goes on'
    when 'if_decided' then 'pays what is decided by then and a fair market price for the rest'
    when 'first_by_name' then 'pays the first name in the alphabet'
    when 'shared' then 'divides the payout'
    else coalesce('says ' || replace(p_payout, '_', ' '), 'does not say')
  end
$$;
comment on function catalog.describe_payout(text) is
  'What a contract pays in an exceptional case, in words. zero: No on each of several Yes '
  'contracts, so that no leg pays.';

create function catalog.clause_text(p_own boolean, p_payout text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when p_own or p_payout is null or p_payout = 'winner' then catalog.describe_payout(p_payout)
    else 'has no rule for that and by its void rule ' || catalog.describe_payout(p_payout)
  end
$$;
comment on function catalog.clause_text(boolean, text) is
  'catalog.describe_payout, with a note when the text has no clause of its own for the case and '
  'its void clause applies.';

create function catalog.case_text(p_term text, p_family text, p_persons boolean) returns text
language sql immutable
set search_path = ''
as $$
  with contest (name) as (
    select case when p_family = 'advance' then 'the series' when p_persons then 'the match' else 'the game' end
  )
  select case p_term
    when 'cancelled' then case
      when p_family in ('fed_decision', 'cb_decision') then 'no decision is announced'
      else name || ' is never played'
    end
    when 'abandoned' then name || ' is not finished'
    when 'tie' then name || ' ends in a tie'
    when 'walkover' then case when p_persons then 'a player does not start' else 'a team does not show up' end
    when 'given_up' then case when p_persons then 'a player retires' else 'a team forfeits after the start' end
    when 'no_contest' then name || ' has no result or is a no contest'
    when 'dead_heat' then 'there are several winners'
    when 'push' then 'the result is exactly on the line'
  end
  from contest
$$;
comment on function catalog.case_text(text, text, boolean) is
  'An exceptional case in words, to follow "If".';

create function catalog.pair_returns(p_a text, p_b text, p_two_sided boolean) returns text
language sql immutable
set search_path = ''
as $$
  with classes as (
    select coalesce(p_a, 'silent') as a, coalesce(p_b, 'silent') as b,
           case when p_b = 'fair_price' then 'venue_b' else 'venue_a' end as fair,
           case when p_b = 'zero' then 'venue_b' else 'venue_a' end as zero,
           case when p_a = 'winner' then 'venue_a' else 'venue_b' end as played
  ), pairs as (
    select c.*, array[a, b] as pays from classes c
  )
  select case
    when a = 'zero' and b = 'zero' then 'a $1 pair returns $0'
    when a = 'silent' and b = 'silent' then 'what a $1 pair returns then is open'
    when 'zero' = any (pays) and pays && array['fair_price', 'split', 'silent', 'if_decided']
      then format('the whole stake on %s is lost', zero)
    when 'zero' = any (pays) then 'a $1 pair returns $0 or $1'
    when 'silent' = any (pays)
      then format('the stake on %s is at risk', case when a = 'silent' then 'venue_a' else 'venue_b' end)
    when pays <@ array['fair_price', 'split'] and p_two_sided
      then format('a $1 pair returns 50 cents plus the fair price of its %s side, so it can lose up to 50 cents', fair)
    when pays <@ array['fair_price', 'split'] then 'the two differ by up to 50 cents a contract'
    when 'winner' = any (pays) and 'split' = any (pays) and p_two_sided then 'a $1 pair returns 50 cents or $1.50'
    when 'winner' = any (pays) and pays && array['fair_price', 'split', 'if_decided']
      then format('a $1 pair can lose its whole stake on %s', played)
    else 'the two can differ by up to $1 a contract'
  end
  from pairs
$$;
comment on function catalog.pair_returns(text, text, boolean) is
  'What a $1 pair returns when the venues pay p_a and p_b in an exceptional case. p_two_sided: '
  'the pair has one contract on each venue.';

create function catalog.result_money() returns text
language sql immutable
set search_path = ''
as $$ select 'where that changes which outcome pays, a $1 pair returns $0 or $2.'::text $$;
comment on function catalog.result_money() is
  'What a $1 pair returns when the venues read a result differently.';

create function catalog.source_name(p_source text) returns text
language sql immutable
set search_path = ''
as $$
  select regexp_replace(trim(p_source), '^(?:https?://)?(?:www\.)?([a-z0-9.-]+\.[a-z]{2,})(?:[/?#].*)?$', '\1', 'i')
$$;
comment on function catalog.source_name(text) is
  'A settlement source as a listing names it. A URL is reduced to its host.';

create function catalog.same_source(p_one text, p_other text, p_scope text) returns boolean
language sql immutable
set search_path = ''
as $$
  -- A listing names a league, an agency or a bank, or gives the address of its site: "MLS" and
  -- mlssoccer.com, "European Central Bank" and ecb.europa.eu. "The Governing League" is the league
  -- of the pair.
  with named (place, name) as (
    select v.place,
           lower(
             case
               when v.source ilike '%governing league%' and g.league is not null then g.league
               else catalog.source_name(v.source)
             end
           )
    from (values (1, p_one), (2, p_other)) as v (place, source)
    cross join (
      select case p_scope when 'EPL' then 'Premier League' when 'UCL' then 'UEFA' else p_scope end as league
    ) g
  ), keys as (
    select n.place, k.words,
           array_to_string(k.words, '') as squashed,
           (
             select string_agg(left(w.word, 1), '' order by w.at) from unnest(k.words) with ordinality as w (word, at)
           ) as initials,
           (
             select string_agg(left(w.word, 1), '' order by w.at)
             from unnest(k.words) with ordinality as w (word, at)
             where w.word not in ('of', 'the', 'for', 'and')
           ) as capitals
    from named n
    cross join lateral (
      select array_remove(regexp_split_to_array(
        case when n.name ~ '^[a-z0-9.-]+\.[a-z]{2,}$' then split_part(n.name, '.', 1) else n.name end, '[^a-z0-9]+'
      ), '') as words
    ) k
  )
  select coalesce(bool_or(
    x.squashed = y.squashed
    or (length(y.squashed) >= 3 and strpos(x.squashed, y.squashed) > 0)
    or (length(y.initials) >= 3 and starts_with(x.squashed, y.initials))
    or (length(y.capitals) >= 3 and starts_with(x.squashed, y.capitals))
  ), false)
  from keys x
  join keys y on y.place <> x.place
$$;
comment on function catalog.same_source(text, text, text) is
  'Whether two source names mean the same organization. p_scope: the competition of the pair.';

create function catalog.describe_source(p_source text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_source
    when 'nws_climatological_report' then 'the NWS climatological report'
    when 'weather_company' then 'The Weather Company'
    when 'wunderground' then 'Wunderground'
    when 'noaa' then 'NOAA'
    when 'hong_kong_observatory' then 'the Hong Kong Observatory'
    when 'cf_benchmarks' then 'CF Benchmarks'
    when 'federal_funds_upper_bound' then 'the upper bound of the federal funds target'
    when 'overnight_target' then 'the target for the overnight rate'
    when 'deposit_facility' then 'the deposit facility rate'
    when 'main_refinancing' then 'the main refinancing rate'
    when 'bank_rate' then 'Bank Rate'
    when 'overnight_call' then 'the overnight call rate'
    when 'selic' then 'the Selic rate'
    when 'cash_rate' then 'the cash rate'
    when 'repo' then 'the repo rate'
    when 'census' then 'the Census Bureau'
    when 'eurostat' then 'Eurostat'
    else case when length(p_source) <= 3 then upper(p_source) else initcap(replace(p_source, '_', ' ')) end
  end
$$;
comment on function catalog.describe_source(text) is
  'The common name of a report, index, agency or rate.';

create function catalog.describe_term(p_term text, p_value jsonb) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when coalesce(p_value, 'null') = 'null' then 'does not say'
    when p_term = 'comparison' then case p_value #>> '{}'
      when 'above' then 'pays strictly above the threshold'
      when 'at_or_above' then 'pays at the threshold or above'
      when 'below' then 'pays strictly below the threshold'
      when 'at_or_below' then 'pays at the threshold or below'
      else 'says ' || replace(p_value #>> '{}', '_', ' ')
    end
    when p_term in ('source', 'index', 'rate') then 'goes by ' || catalog.describe_source(p_value #>> '{}')
    when p_term in ('station', 'contract') then 'goes by ' || (p_value #>> '{}')
    when p_term = 'emergency' then case p_value #>> '{}' when 'excluded' then 'leaves it out' else 'counts it' end
    else coalesce(
      case p_term || ' ' || (p_value #>> '{}')
        when 'overtime regulation' then 'counts regulation time alone'
        when 'overtime included' then 'counts it'
        when 'averaging 60_seconds' then 'averages the 60 seconds before it'
        when 'averaging 1_minute_close' then 'takes the close of one minute''s candle'
        when 'averaging 1_minute_extreme' then 'takes the high or low of any one-minute candle'
        when 'averaging trimmed_mean' then 'takes a trimmed mean'
        when 'averaging daily_settlement' then 'takes the official settlement price'
        when 'day local_standard' then 'counts the day in local standard time'
        when 'day calendar' then 'counts all times of the calendar day'
        when 'rounding whole_degrees' then 'reads whole degrees'
        when 'rounding one_decimal' then 'reads tenths of a degree'
        when 'rounding up_to_25' then 'rounds up to the nearest 25 bp'
        when 'revisions ignored' then 'ignores them'
        when 'revisions latest' then 'takes the latest version'
        when 'revisions first' then 'counts the first figure'
        when 'revisions later' then 'counts a later estimate'
        when 'announcement announced' then 'counts what is announced'
        when 'announcement effective' then 'counts what is in force'
        when 'adjustment seasonal' then 'takes the seasonally adjusted figure'
        when 'adjustment unadjusted' then 'takes the figure before seasonal adjustment'
        when 'missing previous_print' then 'falls back on the figure of the period before'
        when 'missing waits' then 'waits for it'
        when 'precision one_decimal' then 'reads one decimal'
        when 'boundary higher' then 'gives it to the higher bucket'
      end,
      catalog.describe_payout(p_value #>> '{}')
    )
  end
$$;
comment on function catalog.describe_term(text, jsonb) is
  'What the text of a contract states for a term, in words, for the note of a risk.';
