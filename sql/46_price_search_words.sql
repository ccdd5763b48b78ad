-- How a search reads the words of people: times (tonight), numbers (100k), and the other names of
-- what they name (sixers, btc). A reading only adds: the word as written is still searched.
--
-- What price.search_snapshot takes for 20,000 pairs, without readings and with them (PostgreSQL 17,
-- 2 cores at a load of 11, median of 7, 2026-11-28):
--   kxgame7-26nov15        64 to  68 ms    lakers                 105 to 170 ms
--   vs                    126 to 171 ms    los angeles lakers     150 to 307 ms
--   btc 100k               30 to  60 ms    lakers tonight          34 to 143 ms (finds 103, not 0)

-- Declared immutable although unaccent is stable, since its dictionary could be edited. This
-- project never edits it.
create function price.fold_text(p_text text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select lower(extensions.unaccent('extensions.unaccent'::regdictionary, normalize(p_text, nfkc)))
$$;
comment on function price.fold_text(text) is
  'Text in the form in which a search compares it: one form of Unicode, no accents, lower case.';

create function price.search_words(p_folded text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(array_agg(w.word order by w.place), '{}')
  from (
    select p.word, min(p.place) as place
    from (
      select coalesce(nullif(btrim(r.word, '.,;:!?()[]"'), ''), r.word) as word, r.place
      from regexp_split_to_table(p_folded, '\s+') with ordinality as r (word, place)
      where r.word <> ''
    ) p
    group by p.word
  ) w
$$;
comment on function price.search_words(text) is
  'The words of a folded search, each once, in their order. Punctuation around a word is dropped: '
  '"vs." finds "vs".';

create function price.search_condition(p_words text[]) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  select coalesce(
    string_agg(
      case
        -- An id matches from its beginning only: any few digits occur inside these long numbers.
        when w.word ~ '^(0x)?[0-9a-f]{6,}$'
          then format('(strpos(t.ids, %L) > 0 or t.names like %L)', E'\n' || w.word, w.pattern)
        else format('t.names like %L', w.pattern)
      end,
      -- The longest word excludes most.
      ' and ' order by length(w.word) desc, w.n
    ),
    'false'
  )
  from (
    select u.word, u.n, '%' || replace(replace(replace(u.word, '\', '\\'), '%', '\%'), '_', '\_') || '%' as pattern
    from unnest(p_words) with ordinality as u (word, n)
  ) w
$$;
comment on function price.search_condition(text[]) is
  'SQL that is true of a row t of price.search_texts where every word occurs in some field. '
  'Wildcards are literals. Without words: false.';

create function price.search_range(p_phrase text, p_at timestamptz) returns tstzrange
language sql stable parallel safe
set search_path = ''
as $$
  -- Days and nights are those of New York: most games and most days of the venues are counted
  -- there. A night is from 17:00 to 05:00, so at 02:00 it is still last night.
  select tstzrange(r.starts at time zone 'America/New_York', r.ends at time zone 'America/New_York')
  from (
    select l.at::date as day, (l.at - interval '5 hours')::date as evening, date_trunc('week', l.at)::date + 7 as monday
    from (select p_at at time zone 'America/New_York' as at) l
  ) d
  cross join lateral (
    values ('today', d.day + time '00:00', d.day + 1 + time '00:00'),
           ('tonight', d.evening + time '17:00', d.evening + 1 + time '05:00'),
           ('this evening', d.evening + time '17:00', d.evening + 1 + time '05:00'),
           ('tomorrow', d.day + 1 + time '00:00', d.day + 2 + time '00:00'),
           ('tomorrow night', d.day + 1 + time '17:00', d.day + 2 + time '05:00'),
           ('this week', d.day + time '00:00', d.monday + time '00:00'),
           ('this weekend', d.monday - 2 + time '00:00', d.monday + time '00:00'),
           ('weekend', d.monday - 2 + time '00:00', d.monday + time '00:00')
  ) as r (phrase, starts, ends)
  where r.phrase = p_phrase
$$;
comment on function price.search_range(text, timestamptz) is
  'The starts that a phrase of time means at p_at; null for another phrase.';

create function price.search_numbers(p_word text) returns text[]
language sql immutable parallel safe
set search_path = ''
as $$
  select array_remove(
    array[
      to_char(n.value, 'FM999,999,999,999,999'),
      n.value::text,
      case when n.value % 1000 = 0 and n.value < 1000000 then n.value / 1000 || 'k' end,
      case when n.value % 100000 = 0 and n.value >= 1000000 then trim_scale(n.value / 1000000.0) || 'm' end
    ],
    null
  )
  from (
    select (m.parts[1]::numeric * case m.parts[2] when 'k' then 1e3 when 'm' then 1e6 when 'b' then 1e9 else 1 end)
      as amount
    from regexp_match(replace(p_word, ',', ''), '^\$?(\d{1,12}(?:\.\d{1,6})?)([kmb]?)$') as m (parts)
  ) a
  -- No cast of a number that a bigint cannot hold.
  cross join lateral (select case when a.amount between 1000 and 999999999999999 then a.amount::bigint end as value) n
  where a.amount = n.value
$$;
comment on function price.search_numbers(text) is
  'The ways to write a whole number from 1,000 on: 100k as {100,000, 100000, 100k}. Null for '
  'another word.';

create function price.search_synonyms(p_phrase text) returns text[]
language sql stable
set search_path = ''
as $$
  with participants as materialized (
    select a.participant
    from catalog.aliases a
    where a.source = 'registry'
      and a.normalized = btrim(regexp_replace(p_phrase, '[^a-z0-9]+', ' ', 'g'))
    limit 5
  ), found as (
    select lower(n.name) as name
    from price.short_names() n
    where p_phrase = any (n.short)
    union
    select v.other
    from (
      values ('over', 'above'),
             ('above', 'over'),
             ('under', 'below'),
             ('below', 'under')
    ) as v (word, other)
    where v.word = p_phrase
    union
    -- Names that mean this participant only: its city alone may name five teams.
    select price.fold_text(a.name)
    from participants p
    join catalog.aliases a on a.participant = p.participant and a.source = 'registry'
    where (select count(*) from participants) < 5
      and length(a.normalized) > 3
      and not exists (
        select
        from catalog.aliases o
        where o.source = 'registry'
          and o.normalized = a.normalized
          and o.participant <> a.participant
      )
  )
  select array_agg(f.name order by f.name)
  from (
    select f.name
    from found f
    where strpos(f.name, p_phrase) = 0
    order by f.name
    limit 12
  ) f
$$;
comment on function price.search_synonyms(text) is
  'Other names of what a folded phrase names: an asset or institution by its short name, a team '
  'by a nickname. None that contains the phrase.';

create type price.search_term as (words text[], others text[], starts tstzrange);
comment on type price.search_term is
  'One to three words of a search, other ways to write them, and the starts that they mean.';

create function price.search_terms(p_folded text, p_at timestamptz) returns price.search_term[]
language plpgsql stable
set search_path = ''
as $$
declare
  -- A word that most people add and few listings have. It is searched where it is the only one.
  v_fillers constant text[] := array[
    'the', 'a', 'an', 'on', 'at', 'in', 'of', 'for', 'and', 'will', 'is', 'game', 'games', 'market', 'markets', 'odds',
    'price', 'prices'
  ];
  v_words text[] := price.search_words(p_folded);
  v_asked text[] := array(select w from unnest(v_words) w where w <> all (v_fillers));
  v_terms price.search_term[] := '{}';
  v_term price.search_term;
  v_place integer := 1;
begin
  v_words := case when v_asked = '{}' then v_words else v_asked end;
  while v_place <= cardinality(v_words) loop
    -- A long text names nothing in three words, and each phrase costs a look-up.
    for v_length in reverse case when cardinality(v_words) > 12 then 1 else 3 end .. 1 loop
      continue when v_place + v_length - 1 > cardinality(v_words);
      v_term.words := v_words[v_place:v_place + v_length - 1];
      v_term.starts := price.search_range(array_to_string(v_term.words, ' '), p_at);
      v_term.others := coalesce(
        price.search_numbers(array_to_string(v_term.words, ' ')),
        price.search_synonyms(array_to_string(v_term.words, ' '))
      );
      exit when v_term.starts is not null or v_term.others is not null;
    end loop;
    v_terms := v_terms || v_term;
    v_place := v_place + cardinality(v_term.words);
  end loop;
  return v_terms;
end
$$;
comment on function price.search_terms(text, timestamptz) is
  'The terms of a folded search in its order, the longest known phrases first, without filler '
  'words. p_at: the moment that tonight is counted from.';

create function price.other_condition(p_other text) returns text
language sql immutable parallel safe
set search_path = ''
as $$
  -- The pattern alone would not use the index of trigrams well, and the text alone would find
  -- 100,000 in 1,100,000.
  select format(
    '(t.names like %L and t.names ~ %L)',
    '%' || replace(replace(replace(p_other, '\', '\\'), '%', '\%'), '_', '\_') || '%',
    case
      when p_other ~ '^[0-9]' then '[^0-9,.]' || replace(p_other, '.', '\.') || '(?![0-9a-z]|[,.][0-9])'
      else '\m' || regexp_replace(p_other, '([\\.+*?(){}|^$\[\]])', '\\\1', 'g') || '\M'
    end
  )
$$;
comment on function price.other_condition(text) is
  'SQL that is true of a row t of price.search_texts that has another name of a term as whole '
  'words, or another form of its number as a whole number.';

create function price.term_condition(p_term price.search_term) returns text
language sql immutable
set search_path = ''
as $$
  select '(' || price.search_condition(p_term.words)
    || coalesce((select string_agg(' or ' || price.other_condition(o), '' order by o) from unnest(p_term.others) o), '')
    || case
      when p_term.starts is not null then format(
        ' or (s.start_time >= %L::timestamptz and s.start_time < %L::timestamptz)', lower(p_term.starts),
        upper(p_term.starts)
      )
      else ''
    end
    || ')'
$$;
comment on function price.term_condition(price.search_term) is
  'SQL that is true of a row t of price.search_texts and its row s of the snapshot where a term '
  'of a search occurs in any of its forms.';

create function price.read_as_json(p_terms price.search_term[]) returns json
language sql stable
set search_path = ''
as $$
  select json_agg(
    json_build_object(
      'words', array_to_string(t.words, ' '),
      'also', array(select o from unnest(t.others) o where o <> array_to_string(t.words, ' ')),
      'starts_from', base.format_time(lower(t.starts)),
      'starts_before', base.format_time(upper(t.starts))
    )
    order by t.place
  )
  from unnest(p_terms) with ordinality as t (words, others, starts, place)
  where t.starts is not null
    or t.others is not null
$$;
comment on function price.read_as_json(price.search_term[]) is
  'The terms that a search read in another way than as written; null without one.';

revoke all on function
  price.fold_text(text),
  price.search_words(text),
  price.search_condition(text[]),
  price.search_range(text, timestamptz),
  price.search_numbers(text),
  price.search_synonyms(text),
  price.search_terms(text, timestamptz),
  price.other_condition(text),
  price.term_condition(price.search_term),
  price.read_as_json(price.search_term[])
from public;
