-- What the engine saw becomes windows. Called by price.apply within the flush's own transaction, fenced and in order like its frames.

create function arb.closed_because(p_pair_id uuid) returns text
language sql stable
set search_path = ''
as $$
  select case
    when p.pair_id is null or p.withdrawn_at is not null then 'pair.withdrawn'
    when p.status not in ('open', 'live') then 'pair.' || p.status
    when g.band_ok and g.parity_ok and g.risk_ok then null
    else split_part(g.reason, ', ', 1)
  end
  from (select p_pair_id as pair_id) k
  left join catalog.pairs p on p.pair_id = k.pair_id
  left join catalog.gates g on g.pair_id = k.pair_id
$$;
comment on function arb.closed_because(uuid) is
  'Why a pair may have no opportunity now, whatever its books say (pair.withdrawn, pair.resolving, band.*, parity.*, risk.*); null when gates 1 to 3 are open.';

create function arb.note_refusal(p_pair_id uuid, p_stage text, p_reason text, p_about text, p_at timestamptz) returns void
language sql volatile
set search_path = ''
as $$
  insert into arb.refusals as r (pair_id, stage, reason, about, first_at, last_at)
  values (p_pair_id, p_stage, p_reason, p_about, p_at, p_at)
  on conflict (pair_id, stage, reason) do update
  set about = excluded.about,
      last_at = greatest(r.last_at, excluded.last_at),
      times = r.times + 1
$$;
comment on function arb.note_refusal(uuid, text, text, text, timestamptz) is 'Keeps a refusal: one row for each pair, stage and reason, counted.';

create function arb.close(p_window arb.windows, p_at timestamptz, p_reason text, p_since timestamptz default null) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  -- A doubt about a book is dated from its last sign of life: until then the window was true, since then nobody knows.
  v_true_until timestamptz := greatest(least(p_at, coalesce(p_since, p_at)), p_window.opened_at);
begin
  update arb.windows w
  set closed_at = v_true_until,
      close_reason = p_reason,
      seen_at = greatest(w.seen_at, p_at),
      retracted_at = case when v_true_until <= w.opened_at then p_at end
  where w.window_id = p_window.window_id
    and w.closed_at = 'infinity';
  if v_true_until < p_at then
    update arb.states s
    set retracted = true
    where s.window_id = p_window.window_id
      and s.from_at > v_true_until;
  end if;
end
$$;
comment on function arb.close(arb.windows, timestamptz, text, timestamptz) is
  'Ends a window at p_at, or at p_since where a book stopped being true before anybody noticed; one that had not been true at its opening is retracted.';

create function arb.take_back(p_pair_id uuid, p_since timestamptz, p_at timestamptz, p_reason text) returns integer
language sql volatile
set search_path = ''
as $$
  with wrong as (
    update arb.windows w
    set closed_at = greatest(p_since, w.opened_at),
        close_reason = p_reason,
        retracted_at = case when w.opened_at >= p_since then p_at end
    where w.pair_id = p_pair_id
      and w.closed_at > p_since
      and w.closed_at < 'infinity'
      and w.retracted_at is null
    returning w.window_id
  ), states as (
    update arb.states s
    set retracted = true
    from wrong w
    where s.window_id = w.window_id
      and s.from_at > p_since
    returning 1
  )
  select count(*)::integer from wrong
$$;
comment on function arb.take_back(uuid, timestamptz, timestamptz, text) is
  'Takes back what was seen of a pair since one of its books stopped being true, where it has closed already: REST is later than any doubt is noticed, so nobody was shown it. Returns how many windows.';

create function arb.keep_state(p_window arb.windows, p_at timestamptz, p_opp jsonb, p_read_a timestamptz, p_read_b timestamptz) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_last arb.states;
begin
  select s.* into v_last from arb.states s where s.window_id = p_window.window_id order by s.state_no desc limit 1;
  if v_last.legs = p_opp -> 'legs' and v_last.ladder = p_opp -> 'ladder' and v_last.size = (p_opp ->> 'size')::bigint then
    return;
  end if;
  insert into arb.states (window_id, from_at, priced_at, cost, size, wager, legs, ladder, read_a, read_b)
  values (
    p_window.window_id, p_at,
    case when v_last.legs = p_opp -> 'legs' and v_last.size = (p_opp ->> 'size')::bigint then v_last.priced_at else p_at end,
    (p_opp ->> 'cost')::integer, (p_opp ->> 'size')::bigint, (p_opp ->> 'wager')::bigint, p_opp -> 'legs', p_opp -> 'ladder',
    p_read_a, p_read_b
  );
  update arb.windows w
  set seen_at = greatest(w.seen_at, p_at)
  where w.window_id = p_window.window_id;
end
$$;
comment on function arb.keep_state(arb.windows, timestamptz, jsonb, timestamptz, timestamptz) is 'Adds what a window offers now, if it is something new.';

create function arb.observe(p_seen jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_seen record;
  v_window arb.windows;
  v_newest timestamptz;
  v_opp boolean;
  v_reason text;
  v_since timestamptz;
begin
  for v_seen in
    select r.*
    from jsonb_array_elements(p_seen) with ordinality as s(frame, ord)
    cross join lateral jsonb_to_record(s.frame) as r(
      pair_id uuid, at timestamptz, opp jsonb, void text, read_a timestamptz, read_b timestamptz
    )
    order by s.ord
  loop
    select max(w.seen_at) into v_newest from arb.windows w where w.pair_id = v_seen.pair_id;
    -- A flush that may have been written goes again: what has been seen says nothing new.
    continue when v_seen.at < v_newest;
    v_opp := coalesce(v_seen.opp ? 'cost', false) and v_seen.void is null;
    v_reason := coalesce(
      case when not v_opp then coalesce(v_seen.void, v_seen.opp ->> 'refused') end,
      arb.closed_because(v_seen.pair_id),
      case when not v_opp then 'edge.gone' end
    );
    select w.* into v_window from arb.windows w where w.pair_id = v_seen.pair_id and w.closed_at = 'infinity';
    if not v_opp and v_seen.opp ? 'refused' and v_reason !~ '^(book|feed|venue|lease)\.' then
      perform arb.note_refusal(v_seen.pair_id, 'decision', v_reason, v_seen.opp ->> 'about', v_seen.at);
    end if;
    if v_reason is not null then
      v_since := to_timestamp((v_seen.opp ->> 'since')::numeric / 1000);
      if v_since < v_seen.at then
        perform arb.take_back(v_seen.pair_id, v_since, v_seen.at, v_reason);
      end if;
      if v_window.window_id is not null then
        perform arb.close(v_window, v_seen.at, v_reason, v_since);
      end if;
      continue;
    end if;
    if v_window.window_id is null then
      insert into arb.windows (window_id, pair_id, opened_at, seen_at)
      values (
        extensions.uuid_generate_v5(v_seen.pair_id, (extract(epoch from v_seen.at) * 1000)::bigint::text), v_seen.pair_id, v_seen.at, v_seen.at
      )
      on conflict (window_id) do nothing
      returning * into v_window;
      continue when v_window.window_id is null;
    end if;
    perform arb.keep_state(v_window, v_seen.at, v_seen.opp, v_seen.read_a, v_seen.read_b);
  end loop;
end
$$;
comment on function arb.observe(jsonb) is
  'Part of price.apply: frames in order, [{pair_id, at, opp, void, read_a, read_b}], opp as the engine gives it ({cost, size, wager, legs, ladder}, {refused, about, since} or null). Opens, moves and closes windows.';

create function arb.close_pairs(p_pairs uuid[], p_ats timestamptz[], p_reason text) returns integer
language plpgsql volatile
set search_path = ''
as $$
declare
  v_closed integer := 0;
  v_one record;
begin
  for v_one in
    select w, c.at
    from unnest(p_pairs, p_ats) as c(pair_id, at)
    join arb.windows w on w.pair_id = c.pair_id and w.closed_at = 'infinity'
  loop
    perform arb.close(v_one.w, clock.now(), p_reason, v_one.at);
    v_closed := v_closed + 1;
  end loop;
  return v_closed;
end
$$;
comment on function arb.close_pairs(uuid[], timestamptz[], text) is 'Ends the open windows of these pairs, each from its own moment on. Returns how many.';

create function arb.recheck() returns integer
language plpgsql volatile security definer
set search_path = ''
as $$
declare
  v_closed integer := 0;
  v_one record;
begin
  for v_one in
    select w, r.reason
    from arb.windows w
    cross join lateral (select arb.closed_because(w.pair_id) as reason) r
    where w.closed_at = 'infinity'
      and r.reason is not null
    -- A flush may be closing the same one: it is closed either way.
    for update of w skip locked
  loop
    perform arb.close(v_one.w, clock.now(), v_one.reason);
    v_closed := v_closed + 1;
  end loop;
  return v_closed;
end
$$;
comment on function arb.recheck() is
  'Ends open windows whose pair is withdrawn, no longer trades, or has a gate closed: no frame need come for that. Run with every step of the snapshot. Returns how many.';
