-- The public key of an outcome. The parsers' outcome_key is where two contracts meet: it folds
-- names as the venues spell them, and changes when the parsers learn. What a client stores must do
-- neither. It is made of the outcome's full name when the pair is first written, and stays for the
-- life of the pair, whatever a venue calls the outcome later.

create table catalog.outcome_keys (
  pair_id uuid not null,
  match_key text not null,
  key text not null,
  primary key (pair_id, match_key),
  unique (pair_id, key)
);
comment on table catalog.outcome_keys is 'The key on the wire of every outcome that a pair has ever had, by venue.legs.outcome_key. catalog.forget_withdrawn deletes it with its pair.';
alter table catalog.outcome_keys enable row level security;
alter table catalog.outcome_keys force row level security;

create function catalog.slug_of(p_name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select rtrim(left(btrim(regexp_replace(
    regexp_replace(
      lower(extensions.unaccent(
        'extensions.unaccent'::regdictionary,
        -- Accents go as marks of their own; unaccent knows the letters that have none (ø, ł, ß).
        regexp_replace(normalize(p_name, nfkd), '[\u0300-\u036f]', '', 'g')
      )),
      '[''’‘`´.®™]', '', 'g'
    ),
    '[^a-z0-9]+', '-', 'g'
  ), '-'), 60), '-')
$$;
comment on function catalog.slug_of(text) is
  'A name in lower-case ASCII letters, digits and dashes: "Félix Auger-Aliassime" is felix-auger-aliassime. Empty where it holds no Latin letter or digit.';

create function catalog.slug_of_outcome(p_market_type text, p_match_key text, p_name text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(nullif(case
    when p_market_type in ('moneyline', 'outright', 'advance') then catalog.slug_of(p_name)
    -- Its name ends in the handicap, which the row's line says.
    when p_market_type = 'spread' and p_match_key like '%-cover'
      then nullif(catalog.slug_of(regexp_replace(p_name, '\s+[+-]?[0-9.]+$', '')), '') || '-cover'
  end, ''), p_match_key)
$$;
comment on function catalog.slug_of_outcome(text, text, text) is
  'What the key of an outcome is made of: the name of a person or team; over and under, bands and choices have keys that are no names.';

create function catalog.name_outcomes() returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_pair_id uuid;
  v_match_key text;
  v_slug text;
  v_key text;
  v_n integer;
begin
  drop table if exists pg_temp.keys_now;
  create temporary table keys_now (
    pair_id uuid not null,
    match_key text not null,
    key text not null,
    primary key (pair_id, match_key),
    unique (pair_id, key)
  ) on commit drop;
  insert into pg_temp.keys_now (pair_id, match_key, key)
  select k.pair_id, k.match_key, k.key
  from catalog.outcome_keys k
  where k.pair_id in (select o.pair_id from pg_temp.outcomes_now o);

  drop table if exists pg_temp.named_now;
  create temporary table named_now on commit drop as
  select o.pair_id, o.key as match_key, s.slug, count(*) over (partition by o.pair_id, s.slug) as claims
  from pg_temp.outcomes_now o
  join pg_temp.assembled p on p.pair_id = o.pair_id
  cross join lateral (select catalog.slug_of_outcome(p.market_type::text, o.key, o.name) as slug) s
  where not exists (select from pg_temp.keys_now k where k.pair_id = o.pair_id and k.match_key = o.key);
  insert into pg_temp.keys_now (pair_id, match_key, key)
  select n.pair_id, n.match_key, n.slug
  from pg_temp.named_now n
  where n.claims = 1
  on conflict do nothing;
  -- Two outcomes of one name, or a name that another outcome of the pair has had: numbered, in the
  -- order of the parsers' keys.
  for v_pair_id, v_match_key, v_slug in
    select n.pair_id, n.match_key, n.slug
    from pg_temp.named_now n
    where not exists (select from pg_temp.keys_now k where k.pair_id = n.pair_id and k.match_key = n.match_key)
    order by n.pair_id, n.match_key
  loop
    v_key := v_slug;
    v_n := 1;
    while exists (select from pg_temp.keys_now k where k.pair_id = v_pair_id and k.key = v_key) loop
      v_n := v_n + 1;
      v_key := v_slug || '-' || v_n;
    end loop;
    insert into pg_temp.keys_now (pair_id, match_key, key) values (v_pair_id, v_match_key, v_key);
  end loop;

  update pg_temp.outcomes_now o
  set key = k.key
  from pg_temp.keys_now k
  where k.pair_id = o.pair_id
    and k.match_key = o.key
    and k.key <> o.key;
end
$$;
comment on function catalog.name_outcomes() is
  'Part of catalog.lay_legs: gives every row of pg_temp.outcomes_now its public key, new or kept; pg_temp.keys_now has them all for catalog.write_pairs.';

revoke all on function
  catalog.slug_of(text),
  catalog.slug_of_outcome(text, text, text),
  catalog.name_outcomes()
from public;
