-- The queue of operators, part 1: what the candidates of text evidence propose. Candidates of games
-- are grouped by the series of venue_a and the slug prefix of venue_b.

create view catalog.unconfirmed_pairs with (security_invoker = true) as
select p.pair_id, p.question_a, p.question_b, p.market_type, p.title, p.start_time, p.event_a, p.event_b, p.url_a,
       p.url_b, p.entity_confidence, p.resolution_confidence, p.change_no, s.signal,
       case
         when s.signal = 'unconfirmed_league' then catalog.review_subject(p.market_type, p.event_a, p.event_b)
       end as subject
from catalog.pairs p
join (
  select j.assessment_id,
         case
           when j.signals @> '[{"signal": "unconfirmed_league"}]' then 'unconfirmed_league'
           else 'unconfirmed_name'
         end
           as signal
  from catalog.assessments j
  where jsonb_path_exists(j.signals, '$[*].signal ? (@ == "unconfirmed_league" || @ == "unconfirmed_name")')
) s on s.assessment_id = p.assessment_id
where p.stage = 'candidate'
  and p.withdrawn_at is null;
comment on view catalog.unconfirmed_pairs is
  'Candidates from text evidence: they wait for the review of a league, of a list of runners '
  '(subject), or of a name (no subject).';

create function catalog.side_code(p_sides jsonb, p_key text) returns text
language sql immutable
set search_path = ''
as $$
  select nullif(s ->> 'code', '')
  from jsonb_array_elements(p_sides) s
  where s ->> 'key' = p_key
    and s ->> 'code' ~ '^[a-z0-9]{2,5}$'
  limit 1
$$;
comment on function catalog.side_code(jsonb, text) is
  'The code of a side of catalog.sides_of, if it has one.';

create function catalog.league_names(p_subject text)
returns table (
  key_a text,
  name_a text,
  code_a text,
  key_b text,
  name_b text,
  code_b text,
  games bigint,
  similarity numeric,
  state text
)
language sql stable
set search_path = ''
as $$
  with games as materialized (
    select u.question_a, u.question_b, catalog.sides_of(a) as sides_a, catalog.sides_of(b) as sides_b,
           b.identity ? 'evidence' as is_printed
    from catalog.unconfirmed_pairs u
    join venue.questions a on a.question_id = u.question_a
    join venue.questions b on b.question_id = u.question_b
    where u.subject = p_subject
  ), matched as materialized (
    select g.question_a, g.question_b, g.is_printed, s.key_a, s.key_b, s.similarity,
           catalog.side_code(g.sides_a, s.key_a) as code_a,
           catalog.side_code(g.sides_b, s.key_b) as code_b
    from games g
    cross join lateral catalog.match_sides(g.sides_a, g.sides_b) s
  ), met as (
    select m.key_a, m.key_b, min(a.outcome_name) as name_a,
           -- The name of a game that was read as one of another league is not the printed one.
           min(b.outcome_name) filter (where m.is_printed) as name_b,
           -- A team with two codes has no code here.
           case when min(m.code_a) = max(m.code_a) then min(m.code_a) end as code_a,
           case when min(m.code_b) = max(m.code_b) then min(m.code_b) end as code_b, count(*) as games,
           min(m.similarity) as similarity
    from matched m
    join venue.legs a on a.question_id = m.question_a and a.outcome_key = m.key_a
    join venue.legs b on b.question_id = m.question_b and b.outcome_key = m.key_b
    group by m.key_a, m.key_b
  )
  select m.key_a, m.name_a, m.code_a, m.key_b, m.name_b, m.code_b, m.games, m.similarity,
         -- A name that met two names of the other venue is no evidence of either.
         case
           when count(*) over (partition by m.key_a) > 1 or count(*) over (partition by m.key_b) > 1
             then 'contradictory'
           else 'agrees'
         end
  from met m
$$;
comment on function catalog.league_names(text) is
  'The names of a league that met in its candidates, each with the name on the other venue. '
  'contradictory: a name met two names.';

create function catalog.league_facts(p_subject text)
returns table (
  games bigint,
  draws bigint,
  without_draw bigint,
  three_ways bigint,
  women bigint,
  repeats boolean,
  known_a text,
  known_b text,
  series_title text,
  sport text
)
language sql stable
set search_path = ''
as $$
  with games as materialized (
    select a.event_id as event_a, b.event_id as event_b, a.identity as identity_a, b.identity as identity_b,
           a.excluded_reason as excluded_a, b.excluded_reason as excluded_b, a.game_no
    from catalog.unconfirmed_pairs u
    join venue.questions a on a.question_id = u.question_a
    join venue.questions b on b.question_id = u.question_b
    where u.subject = p_subject
  )
  select count(*),
         count(*) filter (where h.has_draw),
         -- Where venue_a lists one side alone, it does not show whether a draw is possible.
         count(*) filter (where not h.has_draw and not jsonb_path_exists(g.identity_a, '$.evidence.sides[*].unlisted')),
         -- A page of venue_b with YES and NO for each side is one of a game that may be drawn.
         count(*) filter (where h.has_draw or (g.identity_b ->> 'ways')::integer = 3),
         count(*) filter (
           where (g.identity_a #> '{evidence,women}')::boolean or (g.identity_b #> '{evidence,women}')::boolean
         ),
         bool_or(g.game_no is not null),
         -- A competition of the registry that one venue lists under a new series or prefix: only
         -- where the series or the prefix of the other venue names it for every game. Clubs alone
         -- do not, because cities have clubs in many leagues.
         case
           when bool_and(g.excluded_a is distinct from 'unconfirmed_league')
             and min(g.identity_a ->> 'competition') = max(g.identity_a ->> 'competition')
             then min(g.identity_a ->> 'competition')
         end,
         case
           when bool_and(
             g.excluded_b is distinct from 'unconfirmed_league' and g.identity_b ->> 'competition_by' = 'prefix'
           )
             and min(g.identity_b ->> 'competition') = max(g.identity_b ->> 'competition')
             then min(g.identity_b ->> 'competition')
         end,
         (
           select s.title
           from venue.series s
           where s.venue = 'venue_a' and s.series_id = split_part(p_subject, ':', 2)
         ),
         (
           -- The sport that most pages of venue_b have as a tag.
           select r.sport
           from games p
           join venue.events e on e.venue = 'venue_b' and e.event_id = p.event_b
           cross join lateral jsonb_path_query(e.payload, '$.tags[*].slug ? (@.type() == "string")') t (slug)
           join (select distinct l.sport from catalog.registered_leagues l) r on r.sport = t.slug #>> '{}'
           group by r.sport
           order by count(*) desc, r.sport
           limit 1
         )
  from games g
  cross join lateral (
    select coalesce((g.identity_a #> '{evidence,draw}')::boolean, (g.identity_a ->> 'ways')::integer = 3, false)
      as has_draw
  ) h
$$;
comment on function catalog.league_facts(text) is
  'Facts of the candidates of a league: draws, women, two games of a day, a competition that one '
  'venue already names, the title of the series and the sport.';

create function catalog.league_teams(p_names jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', n ->> 'key_a', 'name', n ->> 'name_a',
        'names',
        case when nullif(n ->> 'name_b', n ->> 'name_a') is null then '[]' else jsonb_build_array(n -> 'name_b') end,
        'codes', jsonb_build_object(
          'venue_a', coalesce(to_jsonb(array_remove(array[upper(n ->> 'code_a')], null)), '[]'),
          'venue_b', coalesce(to_jsonb(array_remove(array[n ->> 'code_b'], null)), '[]')
        )
      )
      order by n ->> 'key_a' collate "C"
    ),
    '[]'
  )
  from jsonb_array_elements(p_names) n
  where n ->> 'state' = 'agrees'
    and n ->> 'key_a' ~ '^[a-z0-9+_-]{1,80}$'
    and catalog.alias_name_problem(n ->> 'name_a', trim(catalog.alias_text(n ->> 'name_a'))) is null
    and (
      n ->> 'name_b' is null
      or catalog.alias_name_problem(n ->> 'name_b', trim(catalog.alias_text(n ->> 'name_b'))) is null
    )
$$;
comment on function catalog.league_teams(jsonb) is
  'The teams of a league from its names that agree. A name that cannot be an alias is left out, '
  'and its games stay candidates.';

create function catalog.habits_of_sport(p_sport text) returns table (rematch text, open text)
language sql stable
set search_path = ''
as $$
  select coalesce(
           (array['same_day', 'next_day', 'later'])[min(
             array_position(array['same_day', 'next_day', 'later'], l.rematch)
           )],
           'same_day'
         ),
         case when min(coalesce(l.open, '')) = max(coalesce(l.open, '')) then min(l.open) end
  from catalog.registered_leagues l
  where l.sport = p_sport
$$;
comment on function catalog.habits_of_sport(text) is
  'The strictest rematch of the registered leagues of a sport, and what they let unregistered '
  'participants be, if all agree.';

create function catalog.league_title(p_series_title text) returns text
language sql immutable
set search_path = ''
as $$ select trim(regexp_replace(p_series_title, '\s+(games?|match(es)?|winners?)$', '', 'i')) $$;
comment on function catalog.league_title(text) is
  'The title of a series of venue_a without its kind: Besta deild Game is Besta deild.';

create function catalog.propose_league(p_subject text, p_names jsonb, p_changes jsonb) returns jsonb
language sql stable
set search_path = ''
as $$
  with facts as (
    select f.*, split_part(p_subject, ':', 2) as series, split_part(p_subject, ':', 3) as prefix,
           coalesce(
             p_changes ->> 'name',
             nullif(catalog.league_title(f.series_title), ''),
             initcap(regexp_replace(split_part(p_subject, ':', 2), '^KX|(GAME|MATCH)$', '', 'g'))
           ) as name,
           coalesce(p_changes ->> 'sport', f.sport) as own_sport, coalesce(f.known_a, f.known_b) as known
    from catalog.league_facts(p_subject) f
  ), named as (
    select f.*, trim(catalog.alias_text(f.name)) as words, h.rematch, h.open
    from facts f
    cross join lateral catalog.habits_of_sport(f.own_sport) h
  )
  select jsonb_strip_nulls(jsonb_build_object(
    'id', left(
      replace(
        lower(case when n.known is null then n.words else concat_ws(' ', n.known, n.series, n.prefix) end), ' ', '-'
      ),
      64
    ),
    'extends', n.known, 'name', n.name, 'sport', n.own_sport,
    'ways', case when n.three_ways > 0 then 3 else 2 end,
    'order', 'listed', 'key', case when n.women = n.games and n.games > 0 then 'women' end,
    'rematch', case when n.repeats then 'same_day' else n.rematch end, 'open', n.open,
    -- Its name finds nothing in texts: another league may have the same name in its texts.
    'season', 'calendar', 'words', '[]'::jsonb,
    'venue_a', jsonb_build_object('game_series', jsonb_build_array(n.series), 'names', '[]'::jsonb),
    'venue_b', jsonb_build_object('prefixes', jsonb_build_array(n.prefix)),
    -- Persons are known by their names in every tournament.
    'teams',
    case when n.known is null and n.open is distinct from 'person' then catalog.league_teams(p_names) else '[]' end
  ))
  from named n
$$;
comment on function catalog.propose_league(text, jsonb, jsonb) is
  'The league that a confirmation would add, as ConfirmedLeague. p_changes: {name, sport} of the '
  'reviewer. extends: a registered competition that gets a further series or prefix.';

create function catalog.league_conflict(p_subject text, p_league text) returns text
language sql stable
set search_path = ''
as $$
  select case
    when r.series = split_part(p_subject, ':', 2) then 'league.series_taken'
    when r.prefix = split_part(p_subject, ':', 3) then 'league.prefix_taken'
    else 'league.id_taken'
  end
  from catalog.reviews r
  where r.kind = 'league'
    and r.state = 'confirmed'
    and r.subject <> p_subject
    and (r.league = p_league or r.series = split_part(p_subject, ':', 2) or r.prefix = split_part(p_subject, ':', 3))
  order by r.league = p_league, r.subject
  limit 1
$$;
comment on function catalog.league_conflict(text, text) is
  'Which part of a league another confirmed league already has, as a code; null for none.';

create function catalog.league_problem(p_subject text, p_league jsonb) returns text
language sql stable
set search_path = ''
as $$
  select case
    -- After a refusal, or until the listings of a league that was taken back are read again.
    when f.games = 0 then 'league.no_games'
    when catalog.alias_name_problem(p_league ->> 'name', trim(catalog.alias_text(p_league ->> 'name'))) is not null
      or p_league ->> 'id' !~ '^[a-z0-9][a-z0-9-]{0,63}$'
      then 'league.invalid_name'
    when exists (select from catalog.registered_leagues l where l.league = p_league ->> 'id') then 'league.registered'
    when c.code is not null then c.code
    when p_league ? 'extends' then (
      select 'league.unknown'
      where not exists (select from catalog.registered_leagues l where l.league = p_league ->> 'extends')
    )
    when p_league ->> 'sport' is null then 'league.sport_missing'
    when not exists (select from catalog.registered_leagues l where l.sport = p_league ->> 'sport')
      then 'league.unknown_sport'
    when not p_league ? 'open' and jsonb_array_length(p_league -> 'teams') < 2 then 'league.no_names'
    when f.draws > 0 and f.without_draw > 0 then 'league.draws_differ'
    when f.women not in (0, f.games) then 'league.women_differ'
  end
  from catalog.league_facts(p_subject) f
  cross join lateral (select catalog.league_conflict(p_subject, p_league ->> 'id') as code) c
$$;
comment on function catalog.league_problem(text, jsonb) is
  'Why a league cannot be confirmed as it is proposed, as a code. Null when it can.';

revoke all on function
  catalog.league_names(text),
  catalog.side_code(jsonb, text),
  catalog.league_facts(text),
  catalog.league_teams(jsonb),
  catalog.habits_of_sport(text),
  catalog.league_title(text),
  catalog.propose_league(text, jsonb, jsonb),
  catalog.league_conflict(text, text),
  catalog.league_problem(text, jsonb)
from public;
