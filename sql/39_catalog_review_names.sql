-- Names of a known league that no registry holds, proposed as aliases. Three sources: games that
-- met by text evidence (agreement), the team of a page of venue_b that is printed in several ways,
-- and the structured target of a market of venue_a.

create view catalog.unknown_sides with (security_invoker = true) as
select q.question_id, q.venue, q.event_id, q.identity ->> 'competition' as league, l.outcome_key,
       l.outcome_name as name,
       l.market_id
from venue.questions q
join venue.legs l on l.question_id = q.question_id
cross join lateral jsonb_array_elements_text(q.identity -> 'participants') p (participant)
where q.family = 'moneyline'
  and q.excluded_reason = 'unknown_alias'
  and q.identity ? 'evidence'
  and split_part(p.participant, '/', 2) = 'as:' || l.outcome_key;
comment on view catalog.unknown_sides is
  'Sides of games in a known league whose name no registry holds.';

create function catalog.participant_of(p_question_id text, p_key text) returns text
language sql stable
set search_path = ''
as $$
  select p.participant
  from venue.questions q
  cross join lateral jsonb_array_elements_text(q.identity -> 'participants') p (participant)
  where q.question_id = p_question_id
    and split_part(p.participant, '/', 2) = p_key
  limit 1
$$;
comment on function catalog.participant_of(text, text) is
  'The registered participant that a side of a question means, pool/team; null for an unknown one.';

create function catalog.agreed_names() returns table (league text, name text, participant text, source text)
language sql stable
set search_path = ''
as $$
  with met as materialized (
    select u.question_a, u.question_b, s.key_a, s.key_b
    from catalog.unconfirmed_pairs u
    cross join lateral catalog.side_keys(u.question_a, u.question_b) s
    where u.signal = 'unconfirmed_name'
  ), named as materialized (
    select m.*, a.name as name_a, b.name as name_b, coalesce(a.league, b.league) as league,
           coalesce(
             catalog.participant_of(m.question_a, m.key_a), catalog.participant_of(m.question_b, m.key_b),
             -- Neither venue prints a registered name: a participant that is new in the league.
             'confirmed_' || coalesce(a.league, b.league) || '/' || m.key_a
           ) as participant
    from met m
    left join catalog.unknown_sides a on a.question_id = m.question_a and a.outcome_key = m.key_a
    left join catalog.unknown_sides b on b.question_id = m.question_b and b.outcome_key = m.key_b
    where a.league = b.league or a.league is null or b.league is null
  )
  select distinct n.league, v.name, n.participant, 'agreement'
  from named n
  cross join lateral (values (n.name_a), (n.name_b)) as v (name)
  where v.name is not null
    and n.league is not null
    -- A name that met two participants is no evidence of either.
    and not exists (
      select
      from named o
      where o.league = n.league
        and v.name in (o.name_a, o.name_b)
        and o.participant <> n.participant
    )
$$;
comment on function catalog.agreed_names() is
  'Names that met a registered name, or each other, in candidates of a known league.';

create function catalog.targeted_names() returns table (league text, name text, participant text, source text)
language sql stable
set search_path = ''
as $$
  with unknown as materialized (
    select u.league, u.name, split_part(u.event_id, '-', 1) as series, t.target
    from catalog.unknown_sides u
    join venue.markets m on m.venue = 'venue_a' and m.market_id = u.market_id
    cross join lateral jsonb_each_text(
      case jsonb_typeof(m.payload -> 'custom_strike') when 'object' then m.payload -> 'custom_strike' else '{}' end
    ) t (field, target)
    where u.venue = 'venue_a'
      and t.target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  ), known as materialized (
    select q.question_id, split_part(q.event_id, '-', 1) as series, l.outcome_key,
           m.payload -> 'custom_strike' as targets
    from venue.questions q
    join venue.legs l on l.question_id = q.question_id and l.side = 'yes'
    join venue.markets m on m.venue = 'venue_a' and m.market_id = l.market_id
    where q.venue = 'venue_a'
      and q.family = 'moneyline'
      and q.excluded_reason is null
      and split_part(q.event_id, '-', 1) in (select u.series from unknown u)
      and jsonb_typeof(m.payload -> 'custom_strike') = 'object'
  )
  select u.league, u.name, min(catalog.participant_of(k.question_id, k.outcome_key)), 'venue_a_targets'
  from unknown u
  join known k on k.series = u.series
  where u.target in (select t.value from jsonb_each_text(k.targets) t)
  group by u.league, u.name
  having min(catalog.participant_of(k.question_id, k.outcome_key))
    = max(catalog.participant_of(k.question_id, k.outcome_key))
$$;
comment on function catalog.targeted_names() is
  'Unknown names of venue_a whose market has the structured target of a registered participant.';

create function catalog.listed_teams() returns table (league text, name text, participant text, source text)
language sql stable
set search_path = ''
as $$
  -- The page of venue_b names each team in full, short, and by its nickname.
  with printed as materialized (
    select u.league, u.name, f.form
    from catalog.unknown_sides u
    join venue.events e on e.venue = 'venue_b' and e.event_id = u.event_id
    cross join lateral jsonb_array_elements(
      case jsonb_typeof(e.payload -> 'teams') when 'array' then e.payload -> 'teams' else '[]' end
    ) t (team)
    cross join lateral (values (t.team ->> 'name'), (t.team ->> 'alias')) as f (form)
    where u.venue = 'venue_b'
      and catalog.alias_text(u.name)
      in (catalog.alias_text(coalesce(t.team ->> 'name', '')), catalog.alias_text(coalesce(t.team ->> 'alias', '')))
      and length(f.form) between 2 and 200
  )
  select p.league, p.name, min(a.participant), 'venue_b_teams'
  from printed p
  join catalog.registered_leagues l on l.league = p.league
  join catalog.aliases a on a.source = 'registry' and a.normalized = trim(catalog.alias_text(p.form))
    and a.pool = any (l.pools)
  group by p.league, p.name
  having min(a.participant) = max(a.participant)
$$;
comment on function catalog.listed_teams() is
  'Unknown names of venue_b whose page names the same team by a registered name as well.';

create function catalog.propose_names() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rows jsonb;
begin
  select jsonb_agg(jsonb_build_object(
    'league', n.league, 'name', n.name, 'normalized', trim(catalog.alias_text(n.name)), 'participant', n.participant,
    'source', n.source
  ))
  into v_rows
  from (
    select f.*
    from (
      select *
      from catalog.targeted_names()
      union all
      select *
      from catalog.listed_teams()
      union all
      select *
      from catalog.agreed_names()
    ) f
    where not exists (
      select
      from catalog.aliases a
      where a.league = f.league
        and a.normalized = trim(catalog.alias_text(f.name))
        and a.participant = f.participant
    )
    order by f.league, f.name
    limit 1000
  ) n;
  if v_rows is null then
    return 0;
  end if;
  return (select count(*) from catalog.propose_aliases(v_rows) p where p.code is null);
end
$$;
comment on function catalog.propose_names() is
  'Proposes unknown names of the present listings as aliases. Returns the number of new '
  'proposals. Names that are proposed or decided already are left alone.';

revoke all on function
  catalog.participant_of(text, text),
  catalog.agreed_names(),
  catalog.targeted_names(),
  catalog.listed_teams(),
  catalog.propose_names()
from public;
