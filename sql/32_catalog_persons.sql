-- Whether two parsed listings of a match name the same persons.

create function catalog.is_other_person(p_a jsonb, p_b jsonb) returns boolean
language sql immutable strict
set search_path = ''
as $$
  -- Names are equal when one contains the other ("Ugo Carabelli", "Camilo Ugo Carabelli"), in any
  -- order, or when one has an initial for a first name. "Marina" is not "Aryna". A name of one word
  -- is no evidence.
  select exists (
    select
    from jsonb_each_text(p_a) a
    join jsonb_each_text(p_b) b on b.key = a.key
    cross join lateral (
      select regexp_split_to_array(trim(lower(a.value)), '[^[:alpha:]]+') as words_a,
             regexp_split_to_array(trim(lower(b.value)), '[^[:alpha:]]+') as words_b
    ) w
    where cardinality(words_a) > 1
      and cardinality(words_b) > 1
      and not words_a <@ words_b
      and not words_b <@ words_a
      and not starts_with(words_a[1], left(words_b[1], 2))
      and not starts_with(words_b[1], left(words_a[1], 2))
  )
$$;
comment on function catalog.is_other_person(jsonb, jsonb) is
  'Whether two parsed listings ({participant key: full name}) name two persons with one family '
  'name. Null or missing names are no evidence.';

create function catalog.short_name(p_a jsonb, p_b jsonb) returns boolean
language sql immutable strict
set search_path = ''
as $$
  -- The letters of "Kuba" occur in "Jakub". Names of siblings seldom pass this test, so it gives a
  -- candidate and nothing more.
  select coalesce(bool_and(
    least(length(given_a), length(given_b)) > 2
    and (position(left(given_a, 3) in given_b) > 0 or position(left(given_b, 3) in given_a) > 0)
  ), false)
  from (
    select split_part(a.value, ' ', 1) as given_a, split_part(b.value, ' ', 1) as given_b
    from jsonb_each_text(p_a) a
    join jsonb_each_text(p_b) b on b.key = a.key
    where catalog.is_other_person(jsonb_build_object(a.key, a.value), jsonb_build_object(b.key, b.value))
  ) d
$$;
comment on function catalog.short_name(jsonb, jsonb) is
  'For listings that catalog.is_other_person separates: whether each differing given name may be '
  'a short form of the other ("Kuba", "Jakub").';
