-- RPCs of the page Review, for members of an operators' organization.

create function dashboard.require_operator() returns text
language plpgsql volatile
set search_path = ''
as $$
begin
  perform account.admit_session(1);
  if not exists (
    select
    from account.members m
    join account.organizations o on o.org_id = m.org_id
    where m.user_id = (select auth.uid()) and o.is_operator
  ) then
    perform account.raise_error(
      403, 'review.not_operator', 'Only members of the operators'' organization may review the catalog.'
    );
  end if;
  return account.current_actor();
end
$$;
comment on function dashboard.require_operator() is
  'Admits a member of an operators'' organization and returns their name for the audit; else an '
  'error (401, 403, 429).';

create function dashboard.list_reviews(p_state text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  perform dashboard.require_operator();
  if p_state not in ('open', 'postponed', 'confirmed', 'refused', 'withdrawn') then
    perform account.raise_error(
      400, 'review.unknown_state', 'A state is open, postponed, confirmed, refused or withdrawn.'
    );
  end if;
  return catalog.review_queue(p_state)::json;
end
$$;
comment on function dashboard.list_reviews(text) is
  'The review queue: {counts, entries} of one state, or of all (null).';

create function dashboard.review_sentences(p_entry jsonb) returns jsonb
language sql immutable
set search_path = ''
as $$
  select coalesce(jsonb_object_agg(c.code, catalog.describe_review_code(c.code)), '{}')
  from (
    select p_entry ->> 'problem'
    union
    select p_entry ->> 'ignored'
    union
    select jsonb_array_elements(p_entry -> 'pairs') ->> 'blocked_by'
    union
    select jsonb_array_elements(p_entry -> 'names') ->> 'code'
  ) c (code)
  where c.code is not null
$$;
comment on function dashboard.review_sentences(jsonb) is
  'The sentence for each code of an entry of the review queue.';

create function dashboard.read_review(p_subject text) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_entry jsonb;
begin
  perform dashboard.require_operator();
  v_entry := catalog.review_entry(p_subject);
  if v_entry is null then
    perform account.raise_error(404, 'review.not_found', 'Nothing is proposed about this subject any more.');
  end if;
  return (v_entry || jsonb_build_object(
    'decisions', catalog.review_history(p_subject),
    'sports', (
      select jsonb_agg(distinct l.sport)
      from catalog.registered_leagues l
    ),
    'sentences', dashboard.review_sentences(v_entry)
  ))::json;
end
$$;
comment on function dashboard.read_review(text) is
  'One subject of the queue with its evidence, its earlier decisions, the sports to choose from '
  'and the sentences of its codes.';

create function dashboard.decide_review(
  p_subject text,
  p_decision text,
  p_digest text,
  p_name text,
  p_sport text,
  p_note text
) returns json
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_actor text := left(dashboard.require_operator(), 200);
  v_answer jsonb;
begin
  v_answer := pipeline.decide_review(
    p_subject, p_decision, p_digest, v_actor, jsonb_strip_nulls(jsonb_build_object('name', p_name, 'sport', p_sport)),
    p_note
  );
  if v_answer ->> 'code' is not null then
    perform account.raise_error(
      case v_answer ->> 'code' when 'review.not_found' then 404 when 'review.invalid' then 400 else 409 end,
      v_answer ->> 'code', catalog.describe_review_code(v_answer ->> 'code')
    );
  end if;
  return v_answer::json;
end
$$;
comment on function dashboard.decide_review(text, text, text, text, text, text) is
  'Decides about a subject as the signed-in person. A refusal is an error with its code.';

create function api.list_reviews(p_state text default 'open') returns json
language sql volatile
set search_path = ''
as $$ select dashboard.list_reviews(p_state) $$;
comment on function api.list_reviews(text) is 'For operators: the review queue, {counts, entries}.';

create function api.read_review(p_subject text) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.read_review(p_subject) $$;
comment on function api.read_review(text) is
  'For operators: one subject of the review queue with its evidence.';

-- The arguments are text: the local REST service sends an object for a jsonb as a JSON string.
create function api.decide_review(
  p_subject text,
  p_decision text,
  p_digest text,
  p_name text default null,
  p_sport text default null,
  p_note text default null
) returns json
language sql volatile
set search_path = ''
as $$ select dashboard.decide_review(p_subject, p_decision, p_digest, p_name, p_sport, p_note) $$;
comment on function api.decide_review(text, text, text, text, text, text) is
  'For operators: confirm (a league with its name and sport), refuse, postpone or withdraw. '
  'p_digest: of the entry that was read.';

revoke all on function
  dashboard.require_operator(),
  dashboard.review_sentences(jsonb),
  dashboard.list_reviews(text),
  dashboard.read_review(text),
  dashboard.decide_review(text, text, text, text, text, text),
  api.list_reviews(text),
  api.read_review(text),
  api.decide_review(text, text, text, text, text, text)
from public;
grant execute on function
  dashboard.list_reviews(text),
  dashboard.read_review(text),
  dashboard.decide_review(text, text, text, text, text, text),
  api.list_reviews(text),
  api.read_review(text),
  api.decide_review(text, text, text, text, text, text)
to authenticated;
