-- The public key of an outcome. venue.legs.outcome_key matches contracts: it folds the spellings of
-- both venues and changes when a parser changes. A key that clients store must not change. It is
-- derived from the full name of the outcome when the pair is first written, and stays for the life
-- of the pair.

create table catalog.outcome_keys (
  pair_id uuid not null,
  match_key text not null,
  key text not null,
  primary key (pair_id, match_key),
  unique (pair_id, key)
);
comment on table catalog.outcome_keys is
  'The public key of each outcome that a pair has ever had, by its venue.legs.outcome_key. '
  'catalog.purge_withdrawn_pairs deletes it together with the pair.';
alter table catalog.outcome_keys enable row level security;
alter table catalog.outcome_keys force row level security;

-- plpgsql, here and below: it caches the plan, and a pass over 8,000 new pairs makes 24,000 calls.
create function catalog.slug_of(p_name text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return rtrim(left(btrim(regexp_replace(
    regexp_replace(
      lower(extensions.unaccent(
        'extensions.unaccent'::regdictionary,
        -- NFKD separates accents, which are removed here. unaccent maps the letters that do not
        -- decompose (ø, ł, ß).
        regexp_replace(normalize(p_name, nfkd), '[\u0300-\u036f]', '', 'g')
      )),
      '[''’‘`´.®™]', '', 'g'
    ),
    '[^a-z0-9]+', '-', 'g'
  ), '-'), 60), '-');
end
$$;
comment on function catalog.slug_of(text) is
  'A name in at most 60 lower-case ASCII letters, digits and dashes: felix-auger-aliassime for '
  '"Félix Auger-Aliassime". Empty without a Latin letter or digit.';

create function catalog.slug_of_outcome(p_market_type text, p_match_key text, p_name text) returns text
language plpgsql immutable parallel safe
set search_path = ''
as $$
begin
  return coalesce(nullif(case
    when p_market_type in ('moneyline', 'outright', 'advance') then catalog.slug_of(p_name)
    -- The name ends in the handicap, which is also in the line of the market.
    when p_market_type = 'spread' and p_match_key like '%-cover'
      then nullif(catalog.slug_of(regexp_replace(p_name, '\s+[+-]?[0-9.]+$', '')), '') || '-cover'
  end, ''), p_match_key);
end
$$;
comment on function catalog.slug_of_outcome(text, text, text) is
  'The slug that the public key of an outcome starts from: the name of a person or team, else the '
  'match key (over, under, bands, choices).';

create function catalog.outcome_keys_of(p_chosen catalog.chosen_pair[], p_outcomes catalog.outcomes[])
returns setof catalog.outcome_key
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
declare
  v_keys catalog.outcome_key[];
  v_open catalog.outcome_key[];
  v_taken catalog.outcome_key[];
  v_one catalog.outcome_key;
  v_slug text;
  v_n integer;
begin
  v_keys := array(
    select row(k.*)::catalog.outcome_key
    from catalog.outcome_keys k
    where k.pair_id in (select o.pair_id from unnest(p_outcomes) o)
  );
  -- Outcomes that have no key yet, with the slug that each prefers.
  v_open := array(
    with unnamed as materialized (
      select o.pair_id, p.market_type::text as market_type, o.key, o.name
      from unnest(p_outcomes) o
      join unnest(p_chosen) p on p.pair_id = o.pair_id
      where not exists (select from unnest(v_keys) k where k.pair_id = o.pair_id and k.match_key = o.key)
    ), slugs as materialized (
      -- A team plays many games: each of its names is normalized once.
      select n.market_type, n.key, n.name, catalog.slug_of_outcome(n.market_type, n.key, n.name) as slug
      from (select distinct u.market_type, u.key, u.name from unnamed u) n
    )
    select row(u.pair_id, u.key, s.slug)::catalog.outcome_key
    from unnamed u
    join slugs s on s.market_type = u.market_type and s.key = u.key and s.name = u.name
  );
  v_keys := v_keys || array(
    select row(n.pair_id, n.match_key, n.key)::catalog.outcome_key
    from (select o.*, count(*) over (partition by o.pair_id, o.key) as claims from unnest(v_open) o) n
    where n.claims = 1
      and not exists (select from unnest(v_keys) k where k.pair_id = n.pair_id and k.key = n.key)
  );
  -- Two outcomes with one slug, or a slug that another outcome of the pair has had, get a number,
  -- in the order of the match keys.
  v_open := array(
    select o
    from unnest(v_open) o
    where not exists (select from unnest(v_keys) k where k.pair_id = o.pair_id and k.match_key = o.match_key)
    order by o.pair_id, o.match_key
  );
  v_taken := array(select k from unnest(v_keys) k where k.pair_id in (select o.pair_id from unnest(v_open) o));
  foreach v_one in array v_open loop
    v_slug := v_one.key;
    v_n := 1;
    while exists (select from unnest(v_taken) k where k.pair_id = v_one.pair_id and k.key = v_one.key) loop
      v_n := v_n + 1;
      v_one.key := v_slug || '-' || v_n;
    end loop;
    v_taken := v_taken || v_one;
    v_keys := v_keys || v_one;
  end loop;
  return query select * from unnest(v_keys);
end
$$;
comment on function catalog.outcome_keys_of(catalog.chosen_pair[], catalog.outcomes[]) is
  'Stage 8 of catalog.run_match_pass: the public keys of these pairs, stored ones and new ones.';

create function catalog.name_outcomes(p_outcomes catalog.outcomes[], p_keys catalog.outcome_key[])
returns setof catalog.outcomes
language sql stable
set search_path = ''
set plan_cache_mode = force_custom_plan
as $$
  select o.pair_id, o.ordinal, k.key, o.name, o.market_a, o.contract_a, o.side_a, o.market_b, o.contract_b, o.relation,
         o.span
  from unnest(p_outcomes) o
  join unnest(p_keys) k on k.pair_id = o.pair_id and k.match_key = o.key
$$;
comment on function catalog.name_outcomes(catalog.outcomes[], catalog.outcome_key[]) is
  'Part of stage 8 of catalog.run_match_pass: the same outcomes with their public keys.';

revoke all on function
  catalog.slug_of(text),
  catalog.slug_of_outcome(text, text, text),
  catalog.outcome_keys_of(catalog.chosen_pair[], catalog.outcomes[]),
  catalog.name_outcomes(catalog.outcomes[], catalog.outcome_key[])
from public;
