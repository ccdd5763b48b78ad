-- The queue of operators, part 3: decisions. Each names the digest of what the reviewer saw, so of
-- two concurrent decisions the second is refused. Every decision is kept.

create function catalog.keep_review(
  p_subject text,
  p_state text,
  p_by text,
  p_definition jsonb default null,
  p_until timestamptz default null
) returns void
language sql volatile
set search_path = ''
as $$
  insert into catalog.reviews as r (
    subject, kind, state, league, series, prefix, definition, postponed_until, decided_at, decided_by
  )
  select p_subject, k.kind, p_state, coalesce(p_definition, k.definition) ->> 'id',
         case when k.kind = 'league' then split_part(p_subject, ':', 2) end,
         case when k.kind = 'league' then split_part(p_subject, ':', 3) end,
         coalesce(p_definition, k.definition), p_until, clock.now(), p_by
  from (
    select split_part(p_subject, ':', 1) as kind,
           (select o.definition from catalog.reviews o where o.subject = p_subject) as definition
  ) k
  on conflict (subject) do update
  set state = excluded.state,
      league = excluded.league,
      definition = excluded.definition,
      ignored_code = null,
      postponed_until = excluded.postponed_until,
      decided_at = excluded.decided_at,
      decided_by = excluded.decided_by,
      version = nextval('catalog.alias_versions')
$$;
comment on function catalog.keep_review(text, text, text, jsonb, timestamptz) is
  'Part of catalog.decide_review: stores the present decision about a subject.';

create function catalog.demote_pairs(p_subject text) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_demoted integer;
begin
  update catalog.pairs p
  set stage = 'candidate',
      band = 'REVIEW',
      updated_at = clock.now(),
      change_no = nextval('catalog.change_numbers')
  where p.pair_id in (select u.pair_id from catalog.published_pairs(p_subject) u)
    and p.stage = 'catalog'
    and p.withdrawn_at is null;
  get diagnostics v_demoted = row_count;
  return v_demoted;
end
$$;
comment on function catalog.demote_pairs(text) is
  'Makes the published pairs of a subject candidates at once. Returns their number.';

create function catalog.decide_names(p_entry jsonb, p_decision text, p_by text) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_name jsonb;
  v_code text;
  v_from text := case p_decision when 'withdraw' then 'confirmed' else 'proposed' end;
  v_to text := case p_decision when 'confirm' then 'confirmed' when 'refuse' then 'refused' else 'withdrawn' end;
begin
  for v_name in
    select n
    from jsonb_array_elements(p_entry -> 'names') n
    where n ->> 'state' = v_from
      or (
        p_decision = 'confirm' and p_entry ->> 'state' in ('refused', 'withdrawn')
        and n ->> 'state' in ('refused', 'withdrawn')
      )
  loop
    v_code := catalog.decide_alias((v_name ->> 'alias_id')::bigint, v_to, p_by) ->> 'code';
    exit when v_code is not null;
  end loop;
  return v_code;
end
$$;
comment on function catalog.decide_names(jsonb, text, text) is
  'Part of catalog.decide_review: decides the names of a participant. Returns the code of the '
  'first refusal; the caller then undoes all of them.';

create function catalog.review_refusal(
  p_entry jsonb,
  p_decision text,
  p_digest text,
  p_by text,
  p_changes jsonb,
  p_note text
) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p_entry is null then 'review.not_found'
    when p_decision is null
      or p_decision not in ('confirm', 'refuse', 'postpone', 'withdraw')
      or p_by is null
      or length(p_by) not between 1 and 200
      or length(p_note) > 2000
      or jsonb_typeof(p_changes) is distinct from 'object'
      or exists (
        select
        from jsonb_each(p_changes) c
        where c.key not in ('name', 'sport')
          or jsonb_typeof(c.value) <> 'string'
          or length(c.value #>> '{}') not between 1 and 100
      )
      then 'review.invalid'
    when p_digest is distinct from p_entry ->> 'digest' then 'review.changed'
    when (p_decision = 'withdraw') <> (p_entry ->> 'state' = 'confirmed') then 'review.wrong_state'
    when p_decision = 'refuse' and p_entry ->> 'state' = 'refused' then 'review.wrong_state'
  end
$$;
comment on function catalog.review_refusal(jsonb, text, text, text, jsonb, text) is
  'Why a decision is refused before it is tried: review.not_found, .invalid, .changed (another '
  'decision, or the evidence changed) or .wrong_state.';

create function catalog.try_decision(p_entry jsonb, p_decision text, p_by text, p_changes jsonb) returns text
language plpgsql volatile
set search_path = ''
as $$
declare
  v_subject text := p_entry ->> 'subject';
  v_league jsonb;
  v_code text;
begin
  if p_decision = 'postpone' then
    perform catalog.keep_review(v_subject, 'postponed', p_by, null, clock.now() + interval '7 days');
    return null;
  elsif p_entry ->> 'kind' = 'names' then
    v_code := catalog.decide_names(p_entry, p_decision, p_by);
  elsif p_decision = 'confirm' and p_entry ->> 'kind' = 'league' then
    v_league := catalog.propose_league(v_subject, p_entry -> 'names', p_changes);
    v_code := catalog.league_problem(v_subject, v_league);
  end if;
  if v_code is null then
    perform catalog.keep_review(
      v_subject, case p_decision when 'confirm' then 'confirmed' when 'refuse' then 'refused' else 'withdrawn' end,
      p_by,
      v_league
    );
  end if;
  return v_code;
end
$$;
comment on function catalog.try_decision(jsonb, text, text, jsonb) is
  'Part of catalog.decide_review: applies a decision. Returns the code of a refusal, else null.';

create function catalog.decide_review(
  p_subject text,
  p_decision text,
  p_digest text,
  p_by text,
  p_changes jsonb default '{}',
  p_note text default null
) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_entry jsonb;
  v_code text;
  v_demoted integer := 0;
begin
  -- One decision at a time: the second one sees what the first has decided.
  lock table catalog.reviews, catalog.aliases in share row exclusive mode;
  v_entry := catalog.review_entry(p_subject);
  v_code := catalog.review_refusal(v_entry, p_decision, p_digest, p_by, p_changes, p_note);
  if v_code is null then
    begin
      v_code := catalog.try_decision(v_entry, p_decision, p_by, p_changes);
      if v_code is not null then
        -- A refused name undoes the names before it.
        raise exception using errcode = 'P0001', message = 'parallax: the decision is refused';
      end if;
    exception
      when raise_exception then
        if v_code is null then
          raise;
        end if;
    end;
  end if;
  if v_code is null then
    if p_decision = 'withdraw' then
      v_demoted := catalog.demote_pairs(p_subject);
    end if;
    insert into catalog.review_decisions (subject, decision, decided_by, decided_at, note, evidence)
    values (
      p_subject, p_decision, p_by, clock.now(), nullif(btrim(p_note), ''), v_entry - array['record', 'published']
    );
  end if;
  return jsonb_build_object('subject', p_subject, 'code', v_code, 'candidates_again', v_demoted)
    || coalesce(catalog.review_state(p_subject), '{}');
end
$$;
comment on function catalog.decide_review(text, text, text, text, jsonb, text) is
  'Decides confirm, refuse, postpone or withdraw. p_digest: of the entry that the reviewer saw. '
  'Returns {subject, code, state, ...}; with a code nothing changed.';

create function catalog.review_history(p_subject text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'decision', d.decision, 'by', d.decided_by, 'at', base.format_time(d.decided_at), 'note', d.note
      )
      order by d.decision_id desc
    ),
    '[]'
  )
  from catalog.review_decisions d
  where d.subject = p_subject
$$;
comment on function catalog.review_history(text) is 'The decisions about a subject, newest first.';

create function catalog.describe_review_code(p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_code
    when 'review.not_found' then 'Nothing is proposed about this subject any more.'
    when 'review.invalid' then 'The decision, the note or a change is invalid.'
    when 'review.changed' then 'Another person decided, or the evidence changed. Read the entry again.'
    when 'review.wrong_state' then 'This decision does not apply to the present state of the subject.'
    when 'league.invalid_name'
      then 'The name must have Latin letters only, without signs of markup or of hidden characters.'
    when 'league.registered' then 'The registry already holds a league with this name.'
    when 'league.unknown' then 'The registry does not hold the competition that would be extended.'
    when 'league.no_games'
      then 'No game of it is a candidate now. One that was refused must be postponed first. After one was taken '
           'back, its listings are read again within minutes.'
    when 'league.sport_missing' then 'No listing names the sport. Choose it.'
    when 'league.unknown_sport' then 'No league of the registry has this sport.'
    when 'league.no_names' then 'Fewer than two teams have names that agree.'
    when 'league.draws_differ' then 'Some games of the league have a draw as an outcome and others have none.'
    when 'league.women_differ' then 'Some listings name women and others do not.'
    when 'league.id_taken' then 'Another confirmed league has this name.'
    when 'league.series_taken' then 'Another confirmed league has this series of venue A.'
    when 'league.prefix_taken' then 'Another confirmed league has this slug prefix of venue B.'
    when 'league.invalid_id' then 'The parsers cannot use the name of the league as an id.'
    when 'league.pool_taken' then 'The registry already holds teams under the name of the league.'
    when 'league.unknown_pool' then 'The registry does not hold a list of teams that the league names.'
    when 'alias.merges_participants' then 'The name already means another participant of the league.'
    when 'contradictory_names' then 'One of its names met two names of the other venue.'
    when 'unusable_name' then 'One of its names cannot be a name of a team, for example because of its letters.'
    when 'resolution' then 'The texts of the venues may settle it differently.'
    else 'The decision is refused: ' || p_code || '.'
  end
$$;
comment on function catalog.describe_review_code(text) is
  'Why a decision of a reviewer is refused: the sentence for a code.';

revoke all on function
  catalog.review_history(text),
  catalog.describe_review_code(text),
  catalog.keep_review(text, text, text, jsonb, timestamptz),
  catalog.demote_pairs(text),
  catalog.decide_names(jsonb, text, text),
  catalog.review_refusal(jsonb, text, text, text, jsonb, text),
  catalog.try_decision(jsonb, text, text, jsonb),
  catalog.decide_review(text, text, text, text, jsonb, text)
from public;
