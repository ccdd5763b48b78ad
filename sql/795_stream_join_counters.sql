-- Limits how many sockets one Realtime token opens. Realtime evaluates a policy at each join and at
-- each change of token, in a transaction that it always rolls back, and passes the topic and the
-- claims only. So no row can be counted there, and a socket has no name. A sequence keeps its value
-- through a rollback, and a socket joins a topic at most once. So each topic of a token has a
-- sequence, and as many joins succeed as the organization may have connections. Realtime does not
-- report a leave: a socket that reconnects takes another join slot, and the next token, at most two
-- minutes later, starts at zero.

create table stream.join_counters (
  counter_no integer generated always as identity primary key,
  free_at timestamptz not null default '-infinity'
);
comment on table stream.join_counters is
  'Sequences stream.join_count_<counter_no>, each assigned to one topic of one Realtime token '
  'until free_at.';
-- While all are assigned, a search by number would read every row.
create index join_counters_by_end on stream.join_counters (free_at);
alter table stream.join_counters enable row level security;
alter table stream.join_counters force row level security;

create function stream.allocate_join_counters(p_count integer) returns integer[]
language plpgsql volatile
set search_path = ''
as $$
declare
  -- A variable, because no index is searched for a volatile function.
  v_now timestamptz := clock_timestamp();
  -- Longer than the life of a token, even if the clock of the signing host is off.
  v_free_at timestamptz := v_now + interval '5 minutes';
  v_counters integer[];
  v_new integer;
begin
  with free as (
    select c.counter_no
    from stream.join_counters c
    where c.free_at < v_now
    order by c.free_at
    limit p_count
    for update skip locked
  ), assigned as (
    update stream.join_counters c
    set free_at = v_free_at
    from free f
    where c.counter_no = f.counter_no
    returning c.counter_no
  )
  select coalesce(array_agg(a.counter_no), '{}') into v_counters
  from assigned a;
  perform setval(format('stream.join_count_%s', n)::regclass, 1, false) from unnest(v_counters) n;
  while cardinality(v_counters) < p_count loop
    insert into stream.join_counters (free_at) values (v_free_at) returning counter_no into v_new;
    execute format('create sequence stream.join_count_%s', v_new);
    v_counters := v_counters || v_new;
  end loop;
  return v_counters;
end
$$;
comment on function stream.allocate_join_counters(integer) is
  'Assigns p_count unused counters, each at zero. Creates new ones when too few are free.';

create function stream.take_join_slot(p_topic text) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_claims jsonb := auth.jwt();
  v_counter integer;
  v_slots integer;
begin
  -- Realtime may evaluate the policy for several rows in the transaction of one join.
  if current_setting('stream.joined_topic', true) = p_topic then
    return true;
  end if;
  select g.counters[array_position(g.topics, p_topic)], t.stream_connections
  into v_counter, v_slots
  from stream.realtime_grants g
  join account.subscriptions s on s.org_id = g.org_id
  join account.tiers t on t.tier = s.tier
  where g.grant_id::text = v_claims ->> 'jti'
    and g.org_id::text = v_claims ->> 'org';
  -- Unknown token, or a channel to which the organization had no right when it was signed.
  if v_counter is null then
    return false;
  end if;
  if nextval(format('stream.join_count_%s', v_counter)::regclass) > v_slots then
    return false;
  end if;
  perform set_config('stream.joined_topic', p_topic, true);
  return true;
end
$$;
comment on function stream.take_join_slot(text) is
  'Whether the token of the caller may join this topic once more: at most max_conns times. The '
  'count survives the rollback.';

revoke all on function
  stream.allocate_join_counters(integer),
  stream.take_join_slot(text)
from public;
