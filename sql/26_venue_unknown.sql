-- What a venue sends and docs/venues.md does not name: new fields, and new values of the fields on
-- which the adapters decide. Ingest counts them (functions/ingest/feeds/unknown.ts) and writes the
-- counts with its rejected rows.

create table venue.unknown_values (
  venue venue.code not null,
  what text not null check (length(what) between 1 and 120),
  occurrences bigint not null check (occurrences > 0),
  sample text check (length(sample) <= 300),
  first_seen_at timestamptz not null default clock_timestamp(),
  last_seen_at timestamptz not null default clock_timestamp(),
  primary key (venue, what)
);
comment on table venue.unknown_values is
  'Unknown fields (market.field:NAME) and values (market.status=VALUE) with their number; at most '
  '200 names a venue, further ones count as "other".';
comment on column venue.unknown_values.sample is
  'The record and the value of the first occurrence, as JSON text; cut.';
alter table venue.unknown_values enable row level security;
alter table venue.unknown_values force row level security;

create function venue.record_unknown_values(p_venue venue.code, p_rows jsonb) returns void
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  -- The limit of names holds for all workers together.
  perform pg_advisory_xact_lock(hashtextextended('venue.record_unknown_values', 0));
  with counted as (
    select left(r.what, 120) as what, sum(r.occurrences)::bigint as occurrences, left(min(r.sample), 300) as sample
    from jsonb_to_recordset(p_rows) as r(what text, occurrences bigint, sample text)
    where r.what <> ''
      and r.occurrences > 0
    group by left(r.what, 120)
  ), known as (
    select u.what
    from venue.unknown_values u
    where u.venue = p_venue
      and u.what <> 'other'
  ), named as (
    select case
             when k.what is not null
               or row_number() over (partition by k.what is null order by c.what)
               <= 200 - (select count(*) from known)
               then c.what
             else 'other'
           end as what,
           c.occurrences, c.sample
    from counted c
    left join known k on k.what = c.what
  )
  insert into venue.unknown_values as u (venue, what, occurrences, sample)
  select p_venue, n.what, sum(n.occurrences)::bigint, min(n.sample)
  from named n
  group by n.what
  on conflict (venue, what) do update
  set occurrences = u.occurrences + excluded.occurrences,
      last_seen_at = clock_timestamp();
end
$$;
comment on function venue.record_unknown_values(venue.code, jsonb) is
  'p_rows: [{what, occurrences, sample}]: adds the counts. A name above the limit of 200 counts '
  'as "other".';
revoke all on function venue.record_unknown_values(venue.code, jsonb) from public;
grant execute on function venue.record_unknown_values(venue.code, jsonb) to parallax_ingest;
