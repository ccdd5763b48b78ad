-- The queue of operators, part 2: its entries. Each shows both listings side by side, the evidence,
-- what a confirmation would publish, and how similar confirmations turned out.

create function catalog.review_pairs(p_subject text) returns jsonb
language sql stable
set search_path = ''
as $$
  with names as materialized (
    select n.key_a, n.state
    from catalog.league_names(p_subject) n
  ), named as materialized (
    -- The games that print a name of this participant.
    select x.question_id as id
    from catalog.aliases l
    join catalog.unknown_sides x on x.league = l.league and x.name = l.name
    where l.source <> 'registry'
      and p_subject = 'names:' || l.league || ':' || l.participant
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'id', 'mkt_' || u.pair_id, 'title', u.title, 'start_at', base.format_time(nullif(u.start_time, 'infinity')),
        'venue_a', jsonb_build_object('event', u.event_a, 'title', ea.title, 'url', u.url_a),
        'venue_b', jsonb_build_object('event', u.event_b, 'title', eb.title, 'url', u.url_b),
        'names', s.names,
        'entity', u.entity_confidence, 'resolution', u.resolution_confidence,
        'blocked_by', case
          when exists (
            select
            from names n
            join jsonb_array_elements(s.names) k on k ->> 'key' = n.key_a
            where n.state = 'contradictory'
          ) then 'contradictory_names'
          when u.resolution_confidence < 0.95 then 'resolution'
        end
      )
      order by u.start_time, u.pair_id
    ),
    '[]'
  )
  from catalog.unconfirmed_pairs u
  join venue.questions a on a.question_id = u.question_a
  join venue.questions b on b.question_id = u.question_b
  join venue.events ea on ea.venue = 'venue_a' and ea.event_id = u.event_a
  join venue.events eb on eb.venue = 'venue_b' and eb.event_id = u.event_b
  cross join lateral (
    -- Lists of runners meet by equal keys, games by the words of their names.
    select jsonb_agg(
      jsonb_build_object(
        'key', la.outcome_key, 'venue_a', la.outcome_name, 'venue_b', lb.outcome_name, 'similarity', m.similarity
      )
      order by la.ordinal
    ) as names
    from (
      select x.key_a, x.key_b, x.similarity
      from catalog.match_sides(catalog.sides_of(a), catalog.sides_of(b)) x
      where u.market_type = 'moneyline'
      union all
      select la.outcome_key, lb.outcome_key, 1
      from venue.legs la
      join venue.legs lb on lb.question_id = b.question_id and lb.outcome_key = la.outcome_key
      where u.market_type <> 'moneyline' and la.question_id = a.question_id
    ) m
    join venue.legs la on la.question_id = a.question_id and la.outcome_key = m.key_a
    join venue.legs lb on lb.question_id = b.question_id and lb.outcome_key = m.key_b
  ) s
  where u.subject = p_subject
    or (
      u.signal = 'unconfirmed_name'
      and (u.question_a in (select n.id from named n) or u.question_b in (select n.id from named n))
    )
$$;
comment on function catalog.review_pairs(text) is
  'The candidates that a decision is about: both listings, the names that met, and why one would '
  'stay a candidate (blocked_by) although it is confirmed.';

create function catalog.block_unusable_names(p_pairs jsonb, p_definition jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  with teams as materialized (
    select array_agg(t ->> 'id') as ids
    from jsonb_array_elements(p_definition -> 'teams') t
  )
  select coalesce(
    jsonb_agg(
      case
        when p.value ->> 'blocked_by' is null
          and exists (
            select
            from jsonb_array_elements(p.value -> 'names') n
            where n ->> 'key' <> all (coalesce(t.ids, '{}'))
          )
          then p.value || '{"blocked_by": "unusable_name"}'
        else p.value
      end
      order by p.ordinality
    ),
    '[]'
  )
  from jsonb_array_elements(p_pairs) with ordinality p
  cross join teams t
$$;
comment on function catalog.block_unusable_names(jsonb, jsonb) is
  'Part of catalog.review_entry: a game of a new league stays a candidate when a name of it is no '
  'name of a team of its definition.';

create function catalog.published_pairs(p_subject text) returns table (pair_id uuid)
language sql stable
set search_path = ''
as $$
  select p.pair_id
  from catalog.pairs p
  where p.stage = 'catalog'
    and p.withdrawn_at is null
    and case split_part(p_subject, ':', 1)
      when 'league' then split_part(p.event_a, '-', 1) = split_part(p_subject, ':', 2)
        and split_part(p.event_b, '-', 1) = split_part(p_subject, ':', 3)
      when 'race' then p_subject = catalog.review_subject(p.market_type, p.event_a, p.event_b)
      -- A pair whose listings hold a name that is withdrawn.
      else position(substring(p_subject from '^names:[^:]*:(.*)$') in p.key) > 0
        and exists (
          select
          from catalog.aliases a
          join venue.legs l on l.question_id in (p.question_a, p.question_b)
          where a.league = split_part(p_subject, ':', 2)
            and a.participant = substring(p_subject from '^names:[^:]*:(.*)$')
            and a.state = 'withdrawn'
            and position(' ' || a.normalized || ' ' in catalog.alias_text(l.outcome_name)) > 0
        )
    end
$$;
comment on function catalog.published_pairs(text) is
  'The published pairs of a subject, which are candidates again when it is taken back. Names: '
  'those of the names that are withdrawn.';

create function catalog.review_record(p_kind text, p_sport text, p_subject text) returns jsonb
language sql stable
set search_path = ''
as $$
  with others as materialized (
    select r.*
    from catalog.reviews r
    where r.kind = p_kind
      and r.subject <> p_subject
      and (p_kind <> 'league' or p_sport is null or r.definition ->> 'sport' = p_sport)
  ), published as materialized (
    select p.pair_id, p.status, u.agreeing, u.diverging, u.rule_id
    from others r
    join catalog.pairs p on p.stage = 'catalog'
      and (
        (r.kind = 'league' and split_part(p.event_a, '-', 1) = r.series and split_part(p.event_b, '-', 1) = r.prefix)
        or (r.kind = 'race' and p.event_a = split_part(r.subject, ':', 2) and p.event_b = split_part(r.subject, ':', 3))
      )
    left join catalog.rules u on u.rule_id = p.rule_id
    where r.state = 'confirmed'
  )
  select jsonb_build_object(
    'confirmed', (select count(*) from others s where s.state = 'confirmed'),
    'refused', (select count(*) from others s where s.state = 'refused'),
    'taken_back', (select count(*) from others s where s.state = 'withdrawn'),
    'published', (select count(*) from published),
    'settled', (select count(*) from published p where p.status = 'settled'),
    'rules_agreeing', (
      select coalesce(sum(x.agreeing), 0)
      from (select distinct p.rule_id, p.agreeing from published p) x
    ),
    'rules_diverging', (
      select coalesce(sum(x.diverging), 0)
      from (select distinct p.rule_id, p.diverging from published p) x
    )
  )
$$;
comment on function catalog.review_record(text, text, text) is
  'How decisions about other subjects of this kind (of leagues: of this sport) turned out.';

create function catalog.review_state(p_subject text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    (
      select jsonb_build_object(
        'state', case when r.state = 'postponed' and r.postponed_until <= clock.now() then 'open' else r.state end,
        'decided_by', r.decided_by, 'decided_at', base.format_time(r.decided_at),
        'postponed_until', base.format_time(r.postponed_until), 'ignored', r.ignored_code, 'version', r.version
      )
      from catalog.reviews r
      where r.subject = p_subject
    ),
    jsonb_build_object('state', 'open')
  )
$$;
comment on function catalog.review_state(text) is
  'The present decision about a subject: {state, decided_by, decided_at, postponed_until, '
  'ignored, version}. open: no decision, or a postponement is over.';

create function catalog.proposed_names(p_subject text) returns jsonb
language sql stable
set search_path = ''
as $$
  select jsonb_agg(
    jsonb_build_object(
      'alias_id', a.alias_id, 'name', a.name, 'normalized', a.normalized, 'source', a.source, 'state', a.state,
      'code', case
        when a.state = 'proposed' and catalog.alias_merges_participants(a.league, a.normalized, a.participant)
          then 'alias.merges_participants'
      end
    )
    order by a.alias_id
  )
  from catalog.aliases a
  where a.league = split_part(p_subject, ':', 2)
    and a.participant = substring(p_subject from '^names:[^:]*:(.*)$')
    and a.source <> 'registry'
$$;
comment on function catalog.proposed_names(text) is
  'The proposed and decided names of a participant in a league; null when there is none.';

create function catalog.state_of_names(p_names jsonb, p_state text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when bool_or(n ->> 'state' = 'proposed') then case p_state when 'postponed' then p_state else 'open' end
    when bool_or(n ->> 'state' = 'confirmed') then 'confirmed'
    when bool_or(n ->> 'state' = 'withdrawn') then 'withdrawn'
    else 'refused'
  end
  from jsonb_array_elements(p_names) n
$$;
comment on function catalog.state_of_names(jsonb, text) is
  'The state of a subject of names. p_state: of its row in catalog.reviews. A name that is '
  'proposed later opens it again.';

create function catalog.review_entry(p_subject text) returns jsonb
language plpgsql stable
set search_path = ''
as $$
declare
  v_kind text := split_part(p_subject, ':', 1);
  v_state jsonb := catalog.review_state(p_subject);
  v_names jsonb := '[]';
  v_pairs jsonb := '[]';
  v_definition jsonb;
  v_problem text;
  v_published bigint;
begin
  if v_kind = 'names' then
    v_names := catalog.proposed_names(p_subject);
    if v_names is null then
      return null;
    end if;
    v_state := v_state || jsonb_build_object('state', catalog.state_of_names(v_names, v_state ->> 'state'));
    v_pairs := catalog.review_pairs(p_subject);
  elsif v_kind in ('league', 'race') then
    v_pairs := catalog.review_pairs(p_subject);
    if v_pairs = '[]' and v_state ->> 'state' = 'open' then
      return null;
    end if;
    if v_kind = 'league' then
      select coalesce(jsonb_agg(to_jsonb(n) order by n.key_a collate "C", n.key_b collate "C"), '[]')
      into v_names
      from catalog.league_names(p_subject) n;
    end if;
    select r.definition into v_definition
    from catalog.reviews r
    where r.subject = p_subject and r.state = 'confirmed';
    if v_kind = 'league' and v_definition is null then
      v_definition := catalog.propose_league(p_subject, v_names, '{}');
      v_problem := catalog.league_problem(p_subject, v_definition);
    end if;
    if v_kind = 'league' and not v_definition ?| array['extends', 'open'] then
      v_pairs := catalog.block_unusable_names(v_pairs, v_definition);
    end if;
    if v_state ->> 'state' = 'confirmed' then
      select count(*) into v_published
      from catalog.published_pairs(p_subject);
    end if;
  else
    return null;
  end if;
  return v_state || jsonb_build_object(
    'subject', p_subject, 'kind', v_kind, 'definition', v_definition, 'problem', v_problem, 'names', v_names,
    'pairs', v_pairs, 'published', v_published, 'record',
    catalog.review_record(v_kind, v_definition ->> 'sport', p_subject),
    -- Changes whenever what the reviewer saw changes. A decision names the digest that it is about.
    'digest', md5(concat_ws('|', v_state, v_definition, v_names, jsonb_path_query_array(v_pairs, '$[*].id')))
  );
end
$$;
comment on function catalog.review_entry(text) is
  'One subject of the queue with its evidence; null when nothing is proposed about it.';

create function catalog.review_subjects() returns table (subject text, kind text, group_name text, pairs bigint)
language sql stable
set search_path = ''
as $$
  select u.subject, split_part(u.subject, ':', 1),
         coalesce(min(r.definition ->> 'name'), min(catalog.league_title(s.title)), min(split_part(u.event_a, '-', 1))),
         count(*)
  from catalog.unconfirmed_pairs u
  left join catalog.reviews r on r.subject = u.subject
  left join venue.series s on s.venue = 'venue_a' and s.series_id = split_part(u.event_a, '-', 1)
  where u.subject is not null
  group by u.subject
  union
  -- Decided subjects stay in the list, so that a decision can be taken back.
  select r.subject, r.kind,
         coalesce(r.definition ->> 'name', catalog.league_title(s.title), split_part(r.subject, ':', 2)), 0
  from catalog.reviews r
  left join venue.series s on s.venue = 'venue_a' and s.series_id = split_part(split_part(r.subject, ':', 2), '-', 1)
  where r.kind <> 'names'
    and r.subject not in (select u.subject from catalog.unconfirmed_pairs u where u.subject is not null)
  union
  select distinct 'names:' || a.league || ':' || a.participant, 'names', a.league, 0
  from catalog.aliases a
  where a.source <> 'registry'
$$;
comment on function catalog.review_subjects() is
  'Everything that an operator may decide or has decided, with the league or series that groups '
  'it and the number of its candidates.';

create function catalog.review_queue(p_state text default 'open', p_limit integer default 200) returns jsonb
language sql stable
set search_path = ''
as $$
  with subjects as materialized (
    select s.*,
           case s.kind
             when 'names' then t.state || jsonb_build_object(
               'state', catalog.state_of_names(catalog.proposed_names(s.subject), t.state ->> 'state')
             )
             else t.state
           end as state
    from catalog.review_subjects() s
    cross join lateral (select catalog.review_state(s.subject) as state) t
  ), counted as (
    select s.state ->> 'state' as state, count(*) as subjects
    from subjects s
    group by s.state ->> 'state'
  ), listed as materialized (
    select s.*
    from subjects s
    where p_state is null or s.state ->> 'state' = p_state
    order by s.pairs desc, s.subject collate "C"
    limit least(greatest(p_limit, 1), 500)
  )
  select jsonb_build_object(
    'counts', (select coalesce(jsonb_object_agg(c.state, c.subjects), '{}') from counted c),
    'entries', coalesce(
      (
        select jsonb_agg(
          s.state || jsonb_build_object(
            'subject', s.subject, 'kind', s.kind, 'group', s.group_name, 'pairs', s.pairs,
            'names', n.names, 'names_agreeing', n.agreeing
          )
          order by s.group_name collate "C", s.pairs desc, s.subject collate "C"
        )
        from listed s
        left join lateral (
          select count(*) * 2 as names, count(*) filter (where l.state = 'agrees') * 2 as agreeing
          from catalog.league_names(s.subject) l
          where s.kind = 'league'
        ) n on true
      ),
      '[]'
    )
  )
$$;
comment on function catalog.review_queue(text, integer) is
  'The queue: how many subjects are in each state, and the entries of one state (null: all), '
  'grouped by league. Details: catalog.review_entry.';

revoke all on function
  catalog.review_pairs(text),
  catalog.block_unusable_names(jsonb, jsonb),
  catalog.published_pairs(text),
  catalog.review_record(text, text, text),
  catalog.review_state(text),
  catalog.proposed_names(text),
  catalog.review_entry(text),
  catalog.state_of_names(jsonb, text),
  catalog.review_subjects(),
  catalog.review_queue(text, integer)
from public;
