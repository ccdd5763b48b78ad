-- What the engine saw becomes windows. Called by pipeline.apply_books within the flush's own transaction, fenced and in order like its frames.

create function arb.gate_close_reason(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p.pair_id is null or p.withdrawn_at is not null then 'pair.withdrawn'
    when p.status not in ('open', 'live') then 'pair.' || p.status
    else coalesce(g.band_reason, g.parity_reason, g.risk_reason)
  end
  from (select p_pair_id as pair_id) k
  left join catalog.pairs p on p.pair_id = k.pair_id
  left join catalog.match_gates g on g.pair_id = k.pair_id
$$;
comment on function arb.gate_close_reason(uuid) is
  'Why a pair may have no opportunity now, whatever its books say (pair.withdrawn, pair.resolving, band.*, parity.*, risk.*); null when gates 1 to 3 are open.';

create function arb.record_rejection(p_pair_id uuid, p_stage text, p_reason text, p_about text, p_at timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  insert into arb.rejections as r (pair_id, stage, reason, subject, first_at, last_at)
  values (p_pair_id, p_stage, p_reason, p_about, p_at, p_at)
  on conflict (pair_id, stage, reason) do update
  set subject = excluded.subject,
      last_at = greatest(r.last_at, excluded.last_at),
      occurrences = r.occurrences + 1
$$;
comment on function arb.record_rejection(uuid, text, text, text, timestamptz) is 'Keeps a refusal: one row for each pair, stage and reason, counted.';

create function arb.close_opportunity(p_pair_id uuid, p_at timestamptz, p_reason text, p_since timestamptz default null) returns integer
language sql volatile
set search_path = ''
as $$
  -- A doubt about a book is dated from its last sign of life: until then what was seen is true, since then nobody knows.
  with known as (
    select least(p_at, coalesce(p_since, p_at)) as until
  ), ended as (
    update arb.opportunities w
    set closed_at = greatest(k.until, w.opened_at),
        close_reason = p_reason,
        last_update_at = greatest(w.last_update_at, p_at),
        retracted_at = case when w.opened_at >= k.until then p_at end
    from known k
    where w.pair_id = p_pair_id
      and w.closed_at > k.until
      and w.retracted_at is null
    returning w.opportunity_id, w.closed_at
  ), states as (
    update arb.opportunity_states s
    set retracted = true
    from ended e
    where s.opportunity_id = e.opportunity_id
      and s.from_at > e.closed_at
    returning 1
  )
  select count(*)::integer from ended
$$;
comment on function arb.close_opportunity(uuid, timestamptz, text, timestamptz) is
  'Ends the open window of a pair at p_at. Where a book stopped being true at p_since, before anybody noticed, all that was seen of the pair since then ends there, closed windows as well, and what opened after it is retracted: REST is later than any doubt is noticed, so nobody was shown it. Returns how many windows.';

create function arb.append_state(p_window arb.opportunities, p_at timestamptz, p_opp jsonb, p_read_a timestamptz, p_read_b timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_last arb.opportunity_states;
begin
  select s.* into v_last from arb.opportunity_states s where s.opportunity_id = p_window.opportunity_id order by s.state_no desc limit 1;
  if v_last.legs = p_opp -> 'legs' and v_last.size_curve = p_opp -> 'ladder' and v_last.size = (p_opp ->> 'size')::bigint then
    return;
  end if;
  insert into arb.opportunity_states (opportunity_id, from_at, priced_at, cost, size, total_cost, legs, size_curve, read_a, read_b)
  values (
    p_window.opportunity_id, p_at,
    case when v_last.legs = p_opp -> 'legs' and v_last.size = (p_opp ->> 'size')::bigint then v_last.priced_at else p_at end,
    (p_opp ->> 'cost')::integer, (p_opp ->> 'size')::bigint, (p_opp ->> 'wager')::bigint, p_opp -> 'legs', p_opp -> 'ladder',
    p_read_a, p_read_b
  );
  update arb.opportunities w
  set last_update_at = greatest(w.last_update_at, p_at)
  where w.opportunity_id = p_window.opportunity_id;
end
$$;
comment on function arb.append_state(arb.opportunities, timestamptz, jsonb, timestamptz, timestamptz) is 'Adds what a window offers now, if it is something new.';

create function arb.apply_updates(p_seen jsonb) returns uuid[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen record;
  v_window arb.opportunities;
  v_newest timestamptz;
  v_opp boolean;
  v_reason text;
  v_pairs uuid[] := '{}';
begin
  for v_seen in
    select f.*
    from (
      select r.*, s.ord, bool_or(r.opp is not null) over (partition by r.pair_id) as has_result
      from jsonb_array_elements(p_seen) with ordinality as s(frame, ord)
      cross join lateral jsonb_to_record(s.frame) as r(
        pair_id uuid, at timestamptz, opp jsonb, void text, read_a timestamptz, read_b timestamptz
      )
    ) f
    -- All frames of a pair of which one has a result: an opportunity may open and end within one flush.
    where f.has_result
      or exists (select from arb.opportunities w where w.pair_id = f.pair_id and w.closed_at = 'infinity')
    order by f.ord
  loop
    v_pairs := v_pairs || v_seen.pair_id;
    select max(w.last_update_at) into v_newest from arb.opportunities w where w.pair_id = v_seen.pair_id;
    -- A flush that may have been written goes again: what has been seen says nothing new.
    continue when v_seen.at < v_newest;
    v_opp := coalesce(v_seen.opp ? 'cost', false) and v_seen.void is null;
    v_reason := coalesce(
      case when not v_opp then coalesce(v_seen.void, v_seen.opp ->> 'refused') end,
      arb.gate_close_reason(v_seen.pair_id),
      case when not v_opp then 'edge.gone' end
    );
    if not v_opp and v_seen.opp ? 'refused' and v_reason !~ '^(book|feed|venue|lease)\.' then
      perform arb.record_rejection(v_seen.pair_id, 'decision', v_reason, v_seen.opp ->> 'about', v_seen.at);
    end if;
    if v_reason is not null then
      perform arb.close_opportunity(v_seen.pair_id, v_seen.at, v_reason, to_timestamp((v_seen.opp ->> 'since')::numeric / 1000));
      continue;
    end if;
    select w.* into v_window from arb.opportunities w where w.pair_id = v_seen.pair_id and w.closed_at = 'infinity';
    if v_window.opportunity_id is null then
      insert into arb.opportunities (opportunity_id, pair_id, opened_at, last_update_at)
      values (
        extensions.uuid_generate_v5(v_seen.pair_id, (extract(epoch from v_seen.at) * 1000)::bigint::text), v_seen.pair_id, v_seen.at, v_seen.at
      )
      on conflict (opportunity_id) do nothing
      returning * into v_window;
      continue when v_window.opportunity_id is null;
    end if;
    perform arb.append_state(
      v_window, v_seen.at, v_seen.opp || jsonb_build_object('legs', arb.name_contracts(v_seen.opp -> 'legs')), v_seen.read_a, v_seen.read_b
    );
  end loop;
  return array(select distinct p from unnest(v_pairs) p);
end
$$;
comment on function arb.apply_updates(jsonb) is
  'Opens, moves and closes windows by frames in order, as price.apply_flush returns them; opp is the engine''s ({cost, size, wager, legs, ladder}, {refused, about, since} or null). Returns the pairs that have a result or an open window.';

create function arb.close_opportunities(p_pairs uuid[], p_ats timestamptz[], p_reason text) returns integer
language sql volatile
set search_path = ''
as $$
  select coalesce(sum(arb.close_opportunity(c.pair_id, clock.now(), p_reason, c.at)), 0)::integer
  from unnest(p_pairs, p_ats) as c (pair_id, at)
  where exists (select from arb.opportunities w where w.pair_id = c.pair_id and w.closed_at > c.at)
$$;
comment on function arb.close_opportunities(uuid[], timestamptz[], text) is 'arb.close_opportunity for several pairs, each from its own moment on. Returns how many windows ended.';

create function arb.close_ineligible() returns uuid[]
language sql volatile security definer
set search_path = ''
as $$
  select coalesce(array_agg(e.pair_id), '{}')
  from (
    select r.pair_id, arb.close_opportunity(r.pair_id, clock.now(), r.reason) as windows
    from (
      select w.pair_id, arb.gate_close_reason(w.pair_id) as reason
      from arb.opportunities w
      where w.closed_at = 'infinity'
      -- A flush may be closing the same one: it is closed either way.
      for update skip locked
    ) r
    where r.reason is not null
  ) e
  where e.windows > 0
$$;
comment on function arb.close_ineligible() is
  'Ends open windows whose pair is withdrawn, no longer trades, or has a gate closed: no frame need come for that. Run with every step of the snapshot. Returns their pairs, for pipeline.refresh_snapshot to publish last.';
