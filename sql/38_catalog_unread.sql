-- Events of which no parser made a question, with the reason. The census counts them, and
-- ops.explain names the reason of one.

create view catalog.unread_events with (security_invoker = true) as
select e.venue, e.event_id, e.series_id, true as is_stored,
       case
         when not exists (select from venue.markets m where m.venue = e.venue and m.event_id = e.event_id)
           then coalesce(
             (
               select s.code
               from venue.rejected_rows s
               where s.venue = e.venue and s.kind = 'market' and s.payload ->> 'event_ticker' = e.event_id
               order by s.last_seen_at desc, s.code
               limit 1
             ),
             'no_market'
           )
         when not exists (
           select
           from venue.markets m
           where m.venue = e.venue and m.event_id = e.event_id and m.state in ('unopened', 'trading', 'paused')
         ) then 'markets_closed'
         else coalesce(
           (
             select s.code
             from venue.rejected_rows s
             where s.venue = e.venue and s.kind = 'question' and s.native_id = e.event_id
             order by s.last_seen_at desc, s.code
             limit 1
           ),
           -- A rejected market is no reason where no event of the series makes a question.
           case
             when (e.venue, e.series_id) in (
               select o.venue, o.series_id
               from venue.questions q
               join venue.events o on o.venue = q.venue and o.event_id = q.event_id
               where o.series_id is not null
             ) then coalesce(
               (
                 select s.code
                 from venue.rejected_rows s
                 where s.venue = e.venue
                   and s.kind = 'market'
                   and s.native_id = any (
                     array(select m.market_id from venue.markets m where m.venue = e.venue and m.event_id = e.event_id)
                   )
                 order by s.last_seen_at desc, s.code
                 limit 1
               ),
               'not_read'
             )
             else 'no_parser'
           end
         )
       end as code
from venue.events e
where not exists (select from venue.questions q where q.venue = e.venue and q.event_id = e.event_id)
union all
  (
    select distinct on (s.venue, s.native_id) s.venue, s.native_id,
           coalesce(s.payload ->> 'series_ticker', s.payload #>> '{series,0,slug}'), false, s.code
    from venue.rejected_rows s
    where s.kind = 'event'
      -- A milestone is recorded under its own id, which is no event.
      and not starts_with(s.code, 'milestone.')
      and not exists (select from venue.events e where e.venue = s.venue and e.event_id = s.native_id)
    order by s.venue, s.native_id, s.last_seen_at desc, s.code
  );
comment on view catalog.unread_events is
  'Every event without a question, with the code of the reason. is_stored is false for an event '
  'that was rejected as a whole.';

create function catalog.describe_unread(p_code text) returns text
language sql immutable
set search_path = ''
as $$
  select case p_code
    when 'no_market' then 'The event has no stored market.'
    when 'markets_closed' then 'Trading has ended in all markets of the event.'
    when 'no_parser' then 'No parser made a question of any event of this series.'
    when 'not_read' then 'A parser reads other events of this series, but made no question of this one.'
    else 'A row of the listing was rejected: ' || p_code || '.'
  end
$$;
comment on function catalog.describe_unread(text) is
  'Why no parser made a question of an event: the sentence for a code of catalog.unread_events.';

create function catalog.spellings_of(p_about text) returns text[]
language sql immutable
set search_path = ''
as $$
  select array[trim(p_about), upper(trim(p_about)), lower(trim(p_about))]
$$;
comment on function catalog.spellings_of(text) is
  'An id as an operator wrote it, and in upper and lower case: tickers and slugs are listed so.';

create function catalog.find_events(p_about text) returns table (venue venue.code, event_id text)
language sql stable
set search_path = ''
as $$
  with input as (
    select v as about
    from unnest(catalog.spellings_of(p_about)) v
  )
  select e.venue, e.event_id
  from venue.events e
  where e.event_id in (select a.about from input a)
  union
  select m.venue, m.event_id
  from venue.markets m
  where m.market_id in (select a.about from input a)
    or (m.venue = 'venue_b' and m.payload ->> 'slug' in (select a.about from input a))
  union
  select m.venue, m.event_id
  from venue.contracts c
  join venue.markets m on m.venue = c.venue and m.market_id = c.market_id
  where c.contract_id in (select a.about from input a)
$$;
comment on function catalog.find_events(text) is
  'Part of ops.explain: the stored events that an event ticker, ticker, event or market slug, '
  'condition id or token id belongs to.';

create function catalog.explain_events(p_about text) returns jsonb
language sql stable
set search_path = ''
as $$
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'venue', e.venue, 'event', e.event_id, 'series', e.series_id, 'title', e.title, 'url', e.url, 'start_at',
        e.start_at, 'first_seen_at', e.first_seen_at, 'seen_at', e.seen_at, 'markets', (
          select coalesce(jsonb_object_agg(c.state, c.markets), '{}')
          from (
            select m.state, count(*) as markets
            from venue.markets m
            where m.venue = e.venue and m.event_id = e.event_id
            group by m.state
          ) c
        ), 'questions', (
          select count(*) from venue.questions q where q.venue = e.venue and q.event_id = e.event_id
        ), 'unread', u.code, 'unread_because', case when u.code is not null then catalog.describe_unread(u.code) end
      )
      order by e.venue, e.event_id
    ), '[]'
  )
  from catalog.find_events(p_about) f
  join venue.events e on e.venue = f.venue and e.event_id = f.event_id
  left join catalog.unread_events u on u.venue = e.venue and u.event_id = e.event_id
$$;
comment on function catalog.explain_events(text) is
  'Part of ops.explain: the stored events of a listing, the states of their markets, and why an '
  'event has no question.';

create function catalog.explain_series(p_about text) returns jsonb
language sql stable
set search_path = ''
as $$
  with input as (
    select v as about
    from unnest(catalog.spellings_of(p_about)) v
  ), found as (
    select s.venue, s.series_id
    from venue.series s
    where s.series_id in (select a.about from input a)
    union
    select e.venue, e.series_id
    from venue.events e
    where e.series_id in (select a.about from input a)
  )
  select coalesce(
    jsonb_agg(
      jsonb_build_object(
        'venue', f.venue, 'series', f.series_id, 'title', s.title, 'category', s.category, 'events', (
          select count(*) from venue.events e where e.venue = f.venue and e.series_id = f.series_id
        ), 'unread', (
          select coalesce(jsonb_object_agg(c.code, c.events), '{}')
          from (
            select u.code, count(*) as events
            from catalog.unread_events u
            where u.venue = f.venue and u.series_id = f.series_id
            group by u.code
          ) c
        )
      )
      order by f.venue, f.series_id
    ), '[]'
  )
  from found f
  left join venue.series s on s.venue = f.venue and s.series_id = f.series_id
$$;
comment on function catalog.explain_series(text) is
  'Part of ops.explain: a series by its id, how many of its events are stored, and how many have '
  'no question, by code.';

revoke all on function
  catalog.describe_unread(text),
  catalog.spellings_of(text),
  catalog.find_events(text),
  catalog.explain_events(text),
  catalog.explain_series(text)
from public;
