-- Opens, updates and closes opportunities by price updates with results of the engine.
-- pipeline.apply_books calls it in the transaction of the flush, fenced and in the order of the
-- price updates.

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
  'Why a pair may have no opportunity now (pair.withdrawn, pair.resolving, band.*, parity.*, '
  'risk.*); null when gates 1 to 3 are open.';

create function arb.record_rejection(p_pair_id uuid, p_stage text, p_reason text, p_about text, p_at timestamptz)
returns void
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
comment on function arb.record_rejection(uuid, text, text, text, timestamptz) is
  'Records a rejection: one row with a count for each pair, stage and reason.';

-- REST is two minutes late. A guard detects an invalid book sooner, so REST never serves a
-- retracted opportunity.
create function arb.close_opportunity(p_pair_id uuid, p_at timestamptz, p_reason text, p_since timestamptz default null)
returns integer
language sql volatile
set search_path = ''
as $$
  -- A book is valid up to its last sign of life (p_since) and invalid after it.
  with valid as (
    select least(p_at, coalesce(p_since, p_at)) as until
  ), ended as (
    update arb.opportunities o
    set closed_at = greatest(v.until, o.opened_at),
        close_reason = p_reason,
        last_update_at = greatest(o.last_update_at, p_at),
        in_history = false,
        retracted_at = case when o.opened_at >= v.until then p_at end
    from valid v
    where o.pair_id = p_pair_id
      and o.closed_at > v.until
      and o.retracted_at is null
    returning o.opportunity_id, o.closed_at
  ), states as (
    update arb.opportunity_states s
    set retracted = true
    from ended e
    where s.opportunity_id = e.opportunity_id
      and s.from_at > e.closed_at
    returning 1
  ), records as (
    update arb.track_records r
    set closed_at = e.closed_at
    from ended e
    where r.opportunity_id = e.opportunity_id
  )
  select count(*)::integer
  from ended
$$;
comment on function arb.close_opportunity(uuid, timestamptz, text, timestamptz) is
  'Closes at p_at. p_since: a book is invalid since then, so opportunities end there, closed ones '
  'too, and later ones are retracted. Returns how many.';

create function arb.append_state(
  p_opportunity arb.opportunities, p_at timestamptz, p_opp jsonb, p_read_a timestamptz, p_read_b timestamptz
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_last arb.opportunity_states;
begin
  select s.* into v_last
  from arb.opportunity_states s
  where s.opportunity_id = p_opportunity.opportunity_id
  order by s.state_no desc
  limit 1;
  if v_last.legs = p_opp -> 'legs'
    and v_last.size_curve = p_opp -> 'ladder'
    and v_last.size = (p_opp ->> 'size')::bigint then
    return;
  end if;
  insert into arb.opportunity_states (
    opportunity_id, from_at, priced_at, cost, size, total_cost, legs, size_curve, read_a, read_b
  )
  values (
    p_opportunity.opportunity_id, p_at,
    case
      when v_last.legs = p_opp -> 'legs' and v_last.size = (p_opp ->> 'size')::bigint then v_last.priced_at
      else p_at
    end,
    (p_opp ->> 'cost')::integer, (p_opp ->> 'size')::bigint, (p_opp ->> 'wager')::bigint, p_opp -> 'legs',
    p_opp -> 'ladder', p_read_a, p_read_b
  );
  update arb.opportunities o
  set last_update_at = greatest(o.last_update_at, p_at)
  where o.opportunity_id = p_opportunity.opportunity_id;
end
$$;
comment on function arb.append_state(
  arb.opportunities, timestamptz, jsonb, timestamptz, timestamptz
) is 'Adds a state to an opportunity if its terms have changed.';

create function arb.end_future_opportunities(p_pair_id uuid, p_at timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform arb.close_opportunity(p_pair_id, p_at, 'feed.late', p_at);
  update arb.opportunities o
  set last_update_at = p_at
  where o.pair_id = p_pair_id
    and o.last_update_at > p_at;
end
$$;
comment on function arb.end_future_opportunities(uuid, timestamptz) is
  'After the clock was set back to p_at: ends the opportunities of a pair there and retracts '
  'later ones. Otherwise they would ignore every update until their time comes.';

-- p_updates: as price.apply_flush returns them in seen. opp is the result of the engine:
-- {cost, size, wager, legs, ladder}, {refused, about, since} or null.
create function arb.apply_updates(p_updates jsonb) returns uuid[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_update record;
  v_opportunity arb.opportunities;
  v_newest timestamptz;
  v_is_open boolean;
  v_reason text;
  v_pairs uuid[] := '{}';
begin
  for v_update in
    select u.*
    from (
      select r.*, s.ord, bool_or(r.opp is not null) over (partition by r.pair_id) as has_result
      from jsonb_array_elements(p_updates) with ordinality as s (price_update, ord)
      cross join lateral jsonb_to_record(s.price_update) as r(
        pair_id uuid, at timestamptz, opp jsonb, void text, read_a timestamptz, read_b timestamptz
      )
    ) u
    -- All updates of a pair that has a result in this flush: an opportunity may open and close
    -- within one flush.
    where u.has_result
      or exists (select from arb.opportunities o where o.pair_id = u.pair_id and o.closed_at = 'infinity')
    order by u.ord
  loop
    v_pairs := v_pairs || v_update.pair_id;
    select max(o.last_update_at) into v_newest from arb.opportunities o where o.pair_id = v_update.pair_id;
    if v_newest > clock.horizon() then
      perform arb.end_future_opportunities(v_update.pair_id, v_update.at);
      v_newest := v_update.at;
    end if;
    -- A flush is repeated when its commit is uncertain. Updates that were applied before are
    -- ignored.
    continue when v_update.at < v_newest;
    v_is_open := coalesce(v_update.opp ? 'cost', false) and v_update.void is null;
    v_reason := coalesce(
      case when not v_is_open then coalesce(v_update.void, v_update.opp ->> 'refused') end,
      arb.gate_close_reason(v_update.pair_id),
      case when not v_is_open then 'edge.gone' end
    );
    if not v_is_open and v_update.opp ? 'refused' and v_reason !~ '^(book|feed|venue|lease)\.' then
      perform arb.record_rejection(v_update.pair_id, 'decision', v_reason, v_update.opp ->> 'about', v_update.at);
    end if;
    if v_reason is not null then
      perform arb.close_opportunity(
        v_update.pair_id, v_update.at, v_reason, to_timestamp((v_update.opp ->> 'since')::numeric / 1000)
      );
      continue;
    end if;
    select o.* into v_opportunity
    from arb.opportunities o
    where o.pair_id = v_update.pair_id and o.closed_at = 'infinity';
    if v_opportunity.opportunity_id is null then
      insert into arb.opportunities (opportunity_id, pair_id, opened_at, last_update_at)
      values (
        extensions.uuid_generate_v5(v_update.pair_id, (extract(epoch from v_update.at) * 1000)::bigint::text),
        v_update.pair_id, v_update.at, v_update.at
      )
      on conflict (opportunity_id) do nothing
      returning * into v_opportunity;
      continue when v_opportunity.opportunity_id is null;
    end if;
    perform arb.append_state(
      v_opportunity, v_update.at,
      v_update.opp || jsonb_build_object('legs', arb.name_contracts(v_update.opp -> 'legs')), v_update.read_a,
      v_update.read_b
    );
  end loop;
  return array(select distinct p from unnest(v_pairs) p);
end
$$;
comment on function arb.apply_updates(jsonb) is
  'Opens, updates and closes opportunities by price updates, in order. Returns the pairs that '
  'have a result of the engine or an open opportunity.';

create function arb.close_opportunities(p_pairs uuid[], p_ats timestamptz[], p_reason text) returns integer
language sql volatile
set search_path = ''
as $$
  select coalesce(sum(arb.close_opportunity(c.pair_id, clock.now(), p_reason, c.at)), 0)::integer
  from unnest(p_pairs, p_ats) as c (pair_id, at)
  where exists (select from arb.opportunities o where o.pair_id = c.pair_id and o.closed_at > c.at)
$$;
comment on function arb.close_opportunities(uuid[], timestamptz[], text) is
  'arb.close_opportunity for several pairs, each from its own time. Returns how many '
  'opportunities ended.';

create function arb.close_ineligible() returns uuid[]
language sql volatile security definer
set search_path = ''
as $$
  select coalesce(array_agg(e.pair_id), '{}')
  from (
    select r.pair_id, arb.close_opportunity(r.pair_id, clock.now(), r.reason) as closed
    from (
      select o.pair_id, arb.gate_close_reason(o.pair_id) as reason
      from arb.opportunities o
      where o.closed_at = 'infinity'
      -- Skips an opportunity that a flush is updating: the next step closes it if the flush did
      -- not.
      for update skip locked
    ) r
    where r.reason is not null
  ) e
  where e.closed > 0
$$;
comment on function arb.close_ineligible() is
  'Closes open opportunities whose pair is withdrawn, does not trade, or has a closed gate. '
  'Called with each step; returns their pairs, to be published.';
