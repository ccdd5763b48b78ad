-- Names of participants as data. The registry of the parsers (functions/ingest/identity/registry)
-- is loaded as rows of source registry. The other rows are proposed, and an operator decides. The
-- parsers read the confirmed ones (functions/ingest/alias_overlay.ts).

create sequence catalog.alias_versions;
comment on sequence catalog.alias_versions is
  'Rises with each change of catalog.aliases, in the order of the commits.';

create table catalog.registered_leagues (
  league text primary key check (length(league) between 1 and 64),
  sport text not null,
  rematch text not null check (rematch in ('same_day', 'next_day', 'later')),
  open text,
  pools text[] not null
);
comment on column catalog.registered_leagues.rematch is
  'How soon the same two sides may meet again.';
comment on column catalog.registered_leagues.open is
  'person, full_name or team: participants need not be in the registry. Null: they must.';
comment on table catalog.registered_leagues is
  'The competitions of the registry, each with its sport and the pools whose teams take part.';
alter table catalog.registered_leagues enable row level security;
alter table catalog.registered_leagues force row level security;

create table catalog.aliases (
  alias_id bigint generated always as identity primary key,
  league text check (league ~ '^[a-z0-9][a-z0-9_-]{0,63}$'),
  kind text not null default 'team' check (kind = 'team'),
  name text not null check (length(name) between 1 and 200),
  normalized text not null check (length(normalized) between 1 and 200),
  participant text not null check (length(participant) <= 200 and participant ~ '^[a-z0-9_-]+/[^/]+$'),
  pool text generated always as (split_part(participant, '/', 1)) stored,
  source text not null check (
    source in ('registry', 'review', 'venue_a_series', 'venue_a_targets', 'venue_b_teams', 'venue_b_tags', 'agreement')
  ),
  state text not null check (state in ('proposed', 'confirmed', 'refused', 'withdrawn')),
  proposed_at timestamptz not null,
  decided_at timestamptz,
  decided_by text check (length(decided_by) between 1 and 200),
  version bigint not null default nextval('catalog.alias_versions'),
  check ((league is null) = (source = 'registry')),
  check (source <> 'registry' or state = 'confirmed'),
  check ((state = 'proposed') = (decided_at is null))
);
comment on table catalog.aliases is
  'Names of participants. Rows of the registry count in every league of their pool, and two of '
  'them may share a name: it stays ambiguous. Other rows count in one league.';
comment on column catalog.aliases.league is 'Id of a competition; null for rows of the registry.';
comment on column catalog.aliases.kind is 'What the name names. Only teams and persons so far.';
comment on column catalog.aliases.normalized is
  'nameKey of functions/ingest/identity/names/registry_overlay.ts, stored as given.';
comment on column catalog.aliases.participant is 'Canonical id: pool/team.';
comment on column catalog.aliases.source is 'Who proposed the name first.';
comment on column catalog.aliases.version is
  'catalog.alias_versions at the last change of the row.';
-- Rows of the registry are in neither index: two schools may share a name there, and then no alias
-- of this name is accepted (catalog.alias_merges_participants).
create unique index aliases_one_participant on catalog.aliases (league, normalized)
  where state = 'confirmed' and source <> 'registry';
create unique index aliases_once on catalog.aliases (league, normalized, participant) where source <> 'registry';
create unique index aliases_of_registry on catalog.aliases (normalized, participant) where source = 'registry';
create index aliases_of_participant on catalog.aliases (participant) where source = 'registry';
create index aliases_by_version on catalog.aliases (version)
  where source <> 'registry' and state in ('confirmed', 'withdrawn');
create index aliases_proposed on catalog.aliases (alias_id) where state = 'proposed';
alter table catalog.aliases enable row level security;
alter table catalog.aliases force row level security;

create function catalog.load_registry() returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_registry jsonb := catalog.registry_names();
  v_changed integer;
begin
  lock table catalog.aliases in share row exclusive mode;
  delete from catalog.registered_leagues;
  insert into catalog.registered_leagues (league, sport, rematch, open, pools)
  select l.key, l.value ->> 0, l.value ->> 1, nullif(l.value ->> 2, ''),
         array(select jsonb_array_elements_text(l.value - 0 - 0 - 0))
  from jsonb_each(v_registry -> 'leagues') l;
  -- A name is a string, or [name, normalized] where its lower case is not its normalized form.
  with listed as materialized (
    select t.key as participant, coalesce(e.name ->> 0, e.name #>> '{}') as name,
           coalesce(e.name ->> 1, lower(e.name #>> '{}')) as normalized
    from jsonb_each(v_registry -> 'participants') t
    cross join lateral jsonb_array_elements(t.value) as e(name)
  ), removed as (
    delete from catalog.aliases a
    where a.source = 'registry'
      and not exists (
        select
        from listed l
        where l.normalized = a.normalized
          and l.participant = a.participant
      )
    returning 1
  ), put as (
    insert into catalog.aliases as a (name, normalized, participant, source, state, proposed_at, decided_at)
    select distinct on (l.normalized, l.participant) l.name, l.normalized, l.participant, 'registry', 'confirmed',
           clock.now(), clock.now()
    from listed l
    order by l.normalized, l.participant, l.name
    on conflict (normalized, participant) where source = 'registry' do update
    set name = excluded.name,
        version = excluded.version
    where a.name <> excluded.name
    returning 1
  )
  select (select count(*) from put) + (select count(*) from removed) into v_changed;
  return v_changed;
end
$$;
comment on function catalog.load_registry() is
  'Makes the rows of source registry equal to catalog.registry_names(). Returns how many changed. '
  'Every migration calls it.';
revoke all on function catalog.load_registry() from public;

create function catalog.alias_name_problem(p_name text, p_normalized text) returns text
language sql immutable
set search_path = ''
as $$
  select case
    when length(p_name) > 200 then 'alias.hostile_name'
    -- Control characters, marks of direction, characters without width, fillers, tags.
    when p_name ~ '[\u0001-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f]'
      or p_name ~ '[\u200b-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]'
      or p_name ~ '[\U000e0000-\U000e0fff]'
      or p_name ~ '[<>]'
      -- A word of Latin letters and of letters that look like them.
      or exists (
        select
        from regexp_split_to_table(p_name, '\s+') as word
        where word ~ '[A-Za-z\u00c0-\u024f\u1e00-\u1eff]'
          and word ~ '[\u0250-\u02ba\u02bd-\u02ff\u0370-\u1dff\u1f00-\u1fff\u2100-\u2121\u2123-\u218f\u2460-\u24ff]'
          or word ~ '[A-Za-z\u00c0-\u024f\u1e00-\u1eff]'
          and word ~ '[\u2c00-\uffef\U00010000-\U0001ffff]'
      )
      then 'alias.hostile_name'
    -- The normalized form would drop these letters: "Арсенал FC" would be "fc".
    when p_name ~ '[\u0250-\u02ba\u02bd-\u02ff\u0370-\u1dff\u1f00-\u1fff\u2c00-\uffef\U00010000-\U0001ffff]'
      then 'alias.not_latin'
    when p_name !~ '\S' or p_normalized !~ '^(?=.*[a-z])[a-z0-9]+( [a-z0-9]+)*$' or length(p_normalized) > 200
      or length(p_normalized) < 2
      then 'alias.invalid'
    when p_normalized ~ '^(team [a-z0-9]|tbd|to be (determined|announced)|(winner|loser) of .*|other|any other.*)$'
      or p_normalized in ('yes', 'no', 'over', 'under', 'draw', 'the draw', 'tie', 'field', 'the field', 'none')
      then 'alias.placeholder'
  end
$$;
comment on function catalog.alias_name_problem(text, text) is
  'Why a name cannot be an alias: alias.hostile_name, alias.not_latin, alias.invalid or '
  'alias.placeholder. Null when it can.';
revoke all on function catalog.alias_name_problem(text, text) from public;

create function catalog.alias_merges_participants(p_league text, p_normalized text, p_participant text)
returns boolean
language sql stable
set search_path = ''
as $$
  select exists (
    select
    from catalog.aliases a
    where a.normalized = p_normalized
      and a.participant <> p_participant
      and (
        a.source <> 'registry' and a.league = p_league and a.state = 'confirmed'
        or a.source = 'registry' and a.pool = any (coalesce(
          (select l.pools from catalog.registered_leagues l where l.league = p_league),
          array[split_part(p_participant, '/', 1)]
        ))
      )
  )
$$;
comment on function catalog.alias_merges_participants(text, text, text) is
  'Whether this name already means another participant in the league.';
revoke all on function catalog.alias_merges_participants(text, text, text) from public;

create function catalog.alias_row_problem(p_row jsonb) returns text
language sql stable
set search_path = ''
as $$
  select case
    when jsonb_typeof(p_row) is distinct from 'object'
      or exists (
        select
        from unnest(array['league', 'name', 'normalized', 'participant', 'source']) as field
        where jsonb_typeof(p_row -> field) is distinct from 'string'
      )
      then 'alias.invalid'
    else coalesce(
      catalog.alias_name_problem(p_row ->> 'name', p_row ->> 'normalized'),
      case
        when p_row ->> 'league' !~ '^[a-z0-9][a-z0-9_-]{0,63}$'
          or p_row ->> 'participant' !~ '^[a-z0-9_-]+/(as:)?[a-z0-9+_-]+$'
          or length(p_row ->> 'participant') > 200
          or p_row ->> 'source'
          not in ('review', 'venue_a_series', 'venue_a_targets', 'venue_b_teams', 'venue_b_tags', 'agreement')
          then 'alias.invalid'
        when exists (
          select
          from catalog.registered_leagues l
          where l.league = p_row ->> 'league'
            -- A participant that the registry does not hold, such as a promoted club, is in the
            -- pool of what operators confirmed.
            and split_part(p_row ->> 'participant', '/', 1) <> all (l.pools || ('confirmed_' || l.league))
        )
          then 'alias.other_league'
        when catalog.alias_merges_participants(p_row ->> 'league', p_row ->> 'normalized', p_row ->> 'participant')
          then 'alias.merges_participants'
        when exists (
          select
          from catalog.aliases a
          where a.source = 'registry'
            and a.normalized = p_row ->> 'normalized'
            and a.participant = p_row ->> 'participant'
        )
          then 'alias.registered'
      end
    )
  end
$$;
comment on function catalog.alias_row_problem(jsonb) is
  'Why a row of catalog.propose_aliases is refused, as a code. Null when it is accepted.';
revoke all on function catalog.alias_row_problem(jsonb) from public;

create function catalog.propose_aliases(p_rows jsonb)
returns table (row_no integer, alias_id bigint, state text, code text)
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_row record;
  v_proposed bigint;
begin
  if jsonb_typeof(p_rows) is distinct from 'array' then
    return query select 0, null::bigint, null::text, 'alias.invalid';
    return;
  end if;
  lock table catalog.aliases in share row exclusive mode;
  select count(*) into v_proposed
  from catalog.aliases a
  where a.state = 'proposed';
  for v_row in
    select e.n::integer as row_no, e.value, catalog.alias_row_problem(e.value) as problem
    from jsonb_array_elements(p_rows) with ordinality as e(value, n)
    where e.n <= 1000
    order by e.n
  loop
    row_no := v_row.row_no;
    alias_id := null;
    state := null;
    code := v_row.problem;
    if code is null then
      select a.alias_id, a.state into alias_id, state
      from catalog.aliases a
      where a.source <> 'registry'
        and a.league = v_row.value ->> 'league'
        and a.normalized = v_row.value ->> 'normalized'
        and a.participant = v_row.value ->> 'participant';
      if alias_id is null and v_proposed >= 20000 then
        code := 'alias.too_many';
      elsif alias_id is null then
        insert into catalog.aliases as a (league, name, normalized, participant, source, state, proposed_at)
        values (
          v_row.value ->> 'league', v_row.value ->> 'name', v_row.value ->> 'normalized',
          v_row.value ->> 'participant', v_row.value ->> 'source', 'proposed', clock.now()
        )
        returning a.alias_id, a.state into alias_id, state;
        v_proposed := v_proposed + 1;
      end if;
    end if;
    return next;
  end loop;
  if jsonb_array_length(p_rows) > 1000 then
    return query select 1001, null::bigint, null::text, 'alias.too_many';
  end if;
end
$$;
comment on function catalog.propose_aliases(jsonb) is
  'p_rows: [{league, name, normalized, participant, source}], at most 1,000; further ones are '
  'dropped with alias.too_many. A row proposed before keeps its state. Rows: docs/adding.md.';

create function catalog.decide_alias(p_alias_id bigint, p_decision text, p_by text) returns jsonb
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_alias catalog.aliases;
  v_code text;
begin
  -- catalog.reviews shares the versions of the aliases (catalog.registry_version).
  lock table catalog.reviews, catalog.aliases in share row exclusive mode;
  select a.* into v_alias
  from catalog.aliases a
  where a.alias_id = p_alias_id;
  v_code := case
    when v_alias.alias_id is null then 'alias.not_found'
    when p_decision is null or p_decision not in ('confirmed', 'refused', 'withdrawn')
      or p_by is null or length(p_by) not between 1 and 200
      then 'alias.invalid'
    when v_alias.source = 'registry' then 'alias.registered'
    when v_alias.state = p_decision then null
    when p_decision = 'refused' and v_alias.state <> 'proposed'
      or p_decision = 'withdrawn' and v_alias.state <> 'confirmed'
      then 'alias.wrong_state'
    when p_decision = 'confirmed'
      and catalog.alias_merges_participants(v_alias.league, v_alias.normalized, v_alias.participant)
      then 'alias.merges_participants'
  end;
  if v_code is null and v_alias.state <> p_decision then
    update catalog.aliases a
    set state = p_decision,
        decided_at = clock.now(),
        decided_by = p_by,
        version = nextval('catalog.alias_versions')
    where a.alias_id = p_alias_id
    returning a.* into v_alias;
  end if;
  return jsonb_build_object(
    'alias_id', p_alias_id, 'state', v_alias.state, 'version', v_alias.version, 'code', v_code
  );
end
$$;
comment on function catalog.decide_alias(bigint, text, text) is
  'Decides confirmed, refused or withdrawn. Returns {alias_id, state, version, code}; with a code '
  'nothing changed. A refused or withdrawn alias may be confirmed later.';

create function catalog.alias_changes(p_since bigint, p_limit integer default 5000)
returns table (
  version bigint,
  alias_id bigint,
  league text,
  name text,
  normalized text,
  participant text,
  state text
)
language sql stable security definer
set search_path = ''
as $$
  select a.version, a.alias_id, a.league, a.name, a.normalized, a.participant, a.state
  from catalog.aliases a
  where a.source <> 'registry'
    and a.state in ('confirmed', 'withdrawn')
    and a.version > p_since
  order by a.version
  limit least(greatest(p_limit, 1), 5000)
$$;
comment on function catalog.alias_changes(bigint, integer) is
  'Aliases that were confirmed or withdrawn after a version, by version, without the registry.';

revoke all on function
  catalog.propose_aliases(jsonb),
  catalog.decide_alias(bigint, text, text),
  catalog.alias_changes(bigint, integer)
from public;
grant execute on function catalog.propose_aliases(jsonb), catalog.alias_changes(bigint, integer) to parallax_ingest;
