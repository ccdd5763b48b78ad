-- Which listings are read again when a name of a participant or a league is confirmed or withdrawn,
-- and how far that got.

create table catalog.alias_reads (
  venue venue.code primary key,
  version bigint not null default 0,
  target bigint,
  after_event text
);
comment on table catalog.alias_reads is
  'Up to which alias version the listings of a venue that hold a changed name were read again.';
comment on column catalog.alias_reads.target is
  'The version that is being read, up to after_event; null when none is.';
alter table catalog.alias_reads enable row level security;
alter table catalog.alias_reads force row level security;

create function catalog.alias_text(p_text text) returns text
language sql stable
set search_path = ''
as $$
  select ' ' || trim(regexp_replace(
    replace(
      regexp_replace(
        lower(extensions.unaccent('extensions.unaccent'::regdictionary, p_text)), '[''`.’‘´®™]', '', 'g'
      ),
      '&', ' and '
    ),
    '[^a-z0-9]+', ' ', 'g'
  )) || ' '
$$;
comment on function catalog.alias_text(text) is
  'A text in about the form of normalize() of the parsers, with a space at both ends.';
revoke all on function catalog.alias_text(text) from public;

create function catalog.alias_events(p_venue venue.code, p_version bigint, p_limit integer)
returns table (event_id text)
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_done bigint;
  v_after text;
begin
  select r.version, case when r.target = p_version then r.after_event end into v_done, v_after
  from catalog.alias_reads r
  where r.venue = p_venue;
  if coalesce(v_done, 0) >= p_version then
    return;
  end if;
  return query
  with changed as materialized (
    select distinct a.league, ' ' || a.normalized || ' ' as words
    from catalog.aliases a
    where a.source <> 'registry'
      and a.state in ('confirmed', 'withdrawn')
      and a.version > coalesce(v_done, 0)
      and a.version <= p_version
  ), leagues as materialized (
    select r.series, r.prefix
    from catalog.reviews r
    where r.kind = 'league'
      and r.league is not null
      and r.version > coalesce(v_done, 0)
      and r.version <= p_version
  ), open as materialized (
    select e.event_id, concat_ws(' | ', e.title, e.payload -> 'teams') as title
    from venue.events e
    where e.venue = p_venue
      and e.event_id > coalesce(v_after, '')
      and (exists (select from changed) or exists (select from leagues))
      and exists (
        select
        from venue.markets m
        where m.venue = p_venue
          and m.event_id = e.event_id
          and m.state not in ('final', 'gone')
      )
  ), labelled as materialized (
    select o.event_id, catalog.alias_text(concat_ws(' | ', o.title, l.labels)) as words
    from open o
    cross join lateral (
      select string_agg(concat_ws(' | ', m.title, c.label), ' | ') as labels
      from venue.markets m
      left join venue.contracts c on c.venue = m.venue and c.market_id = m.market_id
      where m.venue = p_venue
        and m.event_id = o.event_id
    ) l
  )
  select l.event_id
  from labelled l
  where exists (select from changed c where position(c.words in l.words) > 0)
  union
  -- Every event of a league that was confirmed, or is confirmed no longer.
  select o.event_id
  from leagues c
  join open o on split_part(o.event_id, '-', 1) = case p_venue when 'venue_a' then c.series else c.prefix end
  union
  -- The sentence that states when a contract pays may hold a name that no label has.
  select q.event_id
  from changed c
  join venue.questions q on q.venue = p_venue and q.identity ->> 'competition' = c.league
  join open o on o.event_id = q.event_id
  join venue.markets m on m.venue = p_venue and m.event_id = q.event_id
  where position(c.words in catalog.alias_text(m.rules)) > 0
  order by 1
  limit p_limit;
end
$$;
comment on function catalog.alias_events(venue.code, bigint, integer) is
  'Open events to read again up to this alias version: a label or the rules hold a changed name, '
  'or their league changed. By id, after catalog.alias_reads.after_event.';

create function catalog.record_alias_read(p_venue venue.code, p_version bigint, p_after text) returns void
language sql volatile security definer
set search_path = ''
as $$
  insert into catalog.alias_reads as r (venue, version, target, after_event)
  values (
    p_venue, case when p_after is null then p_version else 0 end, case when p_after is not null then p_version end,
    p_after
  )
  on conflict (venue) do update
  set version = greatest(r.version, excluded.version),
      target = excluded.target,
      after_event = excluded.after_event
$$;
comment on function catalog.record_alias_read(venue.code, bigint, text) is
  'The events up to p_after were read again for this alias version; null: all of them.';

revoke all on function
  catalog.alias_events(venue.code, bigint, integer),
  catalog.record_alias_read(venue.code, bigint, text)
from public;
grant execute on function
  catalog.alias_events(venue.code, bigint, integer),
  catalog.record_alias_read(venue.code, bigint, text)
to parallax_ingest;
