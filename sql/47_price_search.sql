-- The texts by which a search finds a pair. A step that renders a changed identity writes them, so
-- the same words find the same rows within a step.

create table price.search_texts (
  pair_id uuid primary key,
  title text not null,
  names text not null,
  ids text not null,
  outcomes text not null
);
comment on table price.search_texts is
  'The texts of each pair of price.snapshot that a search reads, folded. A separate table, '
  'because it changes with the identity of a pair and the snapshot with its price.';
comment on column price.search_texts.names is
  'All names, labels, slugs and tickers of the pair, one a line, with a line feed before the '
  'first and after the last: a whole line is an exact name.';
comment on column price.search_texts.ids is
  'Condition and token ids, in the format of names. Not in names, because almost any few digits '
  'occur in them.';
comment on column price.search_texts.outcomes is
  'The outcomes as JSON without prices: [{key, name}].';
-- ids are not in the index: they would take longer to write (2.8 s for 20,000 pairs) than all names
-- (1.2 s). A word that looks like an id is searched by a scan of ids.
create index search_texts_by_trigram on price.search_texts using gin (names extensions.gin_trgm_ops);

alter table price.search_texts enable row level security;
alter table price.search_texts force row level security;
create policy "the api reads search texts" on price.search_texts for select to parallax_api using (true);
grant select on price.search_texts to parallax_api;

create function price.search_texts_of(p_pairs uuid[]) returns setof price.search_texts
language plpgsql stable
set search_path = ''
as $$
begin
  return query
  with wanted as materialized (
    select p.*
    from unnest(p_pairs) u (pair_id)
    join catalog.pairs p on p.pair_id = u.pair_id
  ), legs as materialized (
    select o.*
    from wanted w
    join catalog.outcomes o on o.pair_id = w.pair_id
  ), listed as materialized (
    select w.pair_id, q.question_id, q.venue, q.event_id, q.title, q.home, q.away
    from wanted w
    cross join lateral (values (w.question_a), (w.question_b)) as v (question_id)
    join venue.questions q on q.question_id = v.question_id
  ), listed_names as (
    -- The names that the two listings use: a user who comes from a venue types its names. A yes or
    -- a no is not a name.
    select n.pair_id, string_agg(distinct n.line, E'\n') filter (where lower(n.line) not in ('yes', 'no')) as lines
    from (
      select q.pair_id, v.line
      from listed q
      join venue.events e on e.venue = q.venue and e.event_id = q.event_id
      cross join lateral (values (q.title), (q.home), (q.away), (e.title)) as v (line)
      union all
      select q.pair_id, v.line
      from listed q
      join venue.legs l on l.question_id = q.question_id
      left join venue.contracts c on c.venue = q.venue and c.contract_id = l.contract_id
      cross join lateral (values (l.outcome_name), (c.label)) as v (line)
    ) n
    group by n.pair_id
  ), strikes as (
    select w.pair_id, string_agg(concat_ws(E'\n', r.label, r.contract_a), E'\n') as lines
    from wanted w
    join catalog.strikes r on r.pair_id = w.pair_id
    group by w.pair_id
  ), known_legs as (
    select l.pair_id,
           string_agg(concat_ws(E'\n', l.name, l.contract_a), E'\n' order by l.ordinal) as lines,
           string_agg(l.contract_b, E'\n' order by l.ordinal) as tokens,
           string_agg(distinct l.market_b, E'\n') as conditions,
           '['
             || string_agg('{"key":' || to_json(l.key) || ',"name":' || to_json(l.name) || '}', ',' order by l.ordinal)
             || ']' as json
    from legs l
    group by l.pair_id
  )
  select w.pair_id,
         price.fold_text(w.title),
         -- Folded once for the pair: a call for each line would cost four times as much.
         price.fold_text(concat_ws(
           E'\n', '', w.title, w.home, w.away, w.category, w.sport, w.competition, w.market_type, w.location, w.asset,
           w.indicator, w.basis, w.institution, array_to_string(w.tags, E'\n'), w.slug, nullif(w.slug_b, w.slug),
           w.event_a, nullif(w.event_b, w.slug_b), l.lines, r.lines, n.lines, ''
         )),
         lower(concat_ws(E'\n', '', w.condition_b, l.conditions, l.tokens, '')),
         coalesce(l.json, '[]')
  from wanted w
  left join known_legs l on l.pair_id = w.pair_id
  left join strikes r on r.pair_id = w.pair_id
  left join listed_names n on n.pair_id = w.pair_id;
end
$$;
comment on function price.search_texts_of(uuid[]) is
  'The rows of price.search_texts from the current catalog and listings.';

-- What api.get_search takes for 20,000 pairs, 19,311 of them open or live (PostgreSQL 17, 2 cores
-- under other load, 2026-11-20):
--   kxgame7-26nov15             0 found    3 ms   bitmap scan of the trigrams
--   nba                     2,414         17 ms   in no title, so nothing is compared
--   san josé sharks         1,112         30 ms
--   lakers                  2,751         38 ms   bitmap scan 9 ms, 2,751 titles compared 12 ms
--   zq                          0         13 ms   too short for trigrams: sequential scan of texts
--   a condition id              1         49 ms   sequential scan of texts and ids
--   vs, a, sports          19,311   67 to 77 ms   every row found and ordered (140 to 160 ms with
--                                                 every title compared)
--   fifteen single letters 18,589        116 ms   the slowest search of 100 characters found
--
-- Order of results: first a name, ticker or id that equals the whole p_query. Then, where the
-- longest word is in the title, the trigram similarity of p_query to the title. Then start and id.
--
-- security definer, because the functions of pg_trgm and unaccent are in a schema that parallax_api
-- may not use.
create function price.search_snapshot(
  p_query text,
  p_status text[],
  p_category text,
  p_sport text,
  p_limit bigint,
  p_offset bigint
) returns table (total bigint, pairs uuid[], read_as json)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_q text := btrim(regexp_replace(price.fold_text(p_query), '\s+', ' ', 'g'));
  v_terms price.search_term[] := price.search_terms(v_q, (select t.step from price.snapshot_state t));
  -- The longest word that names something.
  v_word text := (
    select w
    from unnest(v_terms) as t (words, others, starts)
    cross join unnest(t.words) w
    where t.starts is null
    order by length(w) desc, w
    limit 1
  );
begin
  return query execute format(
    $q$
      with found as materialized (
        select t.pair_id, s.start_time,
               strpos(t.names, %1$L) > 0 or strpos(t.ids, %1$L) > 0 as whole,
               -- word_similarity takes 5 us a row, most of a broad search, so it compares only
               -- titles with the longest word.
               case when strpos(t.title, %8$L) > 0 then extensions.word_similarity(%2$L, t.title) else 0 end as likeness
        from price.search_texts t
        join price.snapshot s on s.pair_id = t.pair_id
        where %3$s
          and s.status = any (%4$L::text[])%5$s
      )
      select (select count(*) from found),
             array(
               select f.pair_id
               from found f
               order by f.whole desc, f.likeness desc, f.start_time, f.pair_id
               limit %6$s
               offset %7$s
             ),
             %9$L::json
    $q$,
    E'\n' || v_q || E'\n',
    v_q,
    coalesce(
      (
        select string_agg(
          price.term_condition((t.words, t.others, t.starts)::price.search_term), ' and '
          order by t.starts is not null, t.place
        )
        from unnest(v_terms) with ordinality as t (words, others, starts, place)
      ),
      'false'
    ),
    p_status,
    price.filter_condition(jsonb_build_object('category', p_category, 'sport', p_sport)),
    p_limit,
    p_offset,
    -- One or two letters have no trigrams to compare. A line feed is in no title.
    case when length(v_word) >= 3 then v_word else E'\n' end,
    price.read_as_json(v_terms)
  );
end
$$;
comment on function price.search_snapshot(text, text[], text, text, bigint, bigint) is
  'How many pairs of the snapshot a search finds, one page of them, best first, and how it read '
  'the words of people.';

revoke all on function price.search_texts_of(uuid[]) from public;
grant execute on function price.search_snapshot(text, text[], text, text, bigint, bigint) to parallax_api;
