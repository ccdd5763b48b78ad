-- Opportunities on the stream: the execution-grade feed of room arb. What may be served decides, as with REST; here it is now that counts.

create function stream.opportunity_frame(p_state text, p_window arb.opportunities, p_told arb.opportunity_states, p_reason text default null) returns text
language sql stable
set search_path = ''
as $$
  select '{"type":"opportunity","state":"' || p_state
    || '","opportunity":' || arb.opportunity_json(p, p_window.opportunity_id, p_window.opened_at, p_told)
    || case
      when p_state = 'closed' then
        ',"closed_at":"' || base.format_time(least(p_window.closed_at, clock.now())) || '","reason":' || to_json(p_reason)
          || ',"retracted":' || (p_window.retracted_at is not null)
      else ''
    end
    || '}'
  from catalog.pairs p
  where p.pair_id = p_window.pair_id
$$;
comment on function stream.opportunity_frame(text, arb.opportunities, arb.opportunity_states, text) is
  'An opportunity frame. Beyond contract.md a closed one says when and why, and whether it was retracted: opened on a book that was already wrong.';

create function stream.opportunity_frames(p_pairs uuid[]) returns setof stream.frame
language plpgsql volatile
set search_path = ''
as $$
declare
  v_one record;
begin
  -- Of windows that are kept no longer, nothing can be rendered.
  delete from stream.published_opportunities t
  where t.pair_id = any (p_pairs)
    and not exists (select from arb.opportunities w where w.opportunity_id = t.opportunity_id);
  for v_one in
    select w, s.state, t.state_no as told_no, t.change_no as told_change, p.change_no,
           (select x from arb.opportunity_states x where x.opportunity_id = t.opportunity_id and x.state_no = t.state_no) as told,
           case when w.closed_at < 'infinity' then w.close_reason else arb.unservable_reason(w.pair_id, s.state) end as ended
    from arb.opportunities w
    left join catalog.pairs p on p.pair_id = w.pair_id
    left join stream.published_opportunities t on t.opportunity_id = w.opportunity_id
    left join lateral (
      select x as state
      from arb.opportunity_states x
      where x.opportunity_id = w.opportunity_id
      order by x.state_no desc
      limit 1
    ) s on true
    where w.pair_id = any (p_pairs)
      and (
        t.opportunity_id is not null
        or w.closed_at = 'infinity'
        -- Opened and closed within this flush: whoever asks REST for that moment sees it, so it is told here as well.
        or (w.recorded_at >= now() and w.retracted_at is null)
      )
    -- A pair's old window closes before its new one opens.
    order by w.opened_at, w.opportunity_id
  loop
    continue when v_one.state is null;
    if v_one.told_no is null and v_one.ended is not null then
      continue when (v_one.w).closed_at = 'infinity' or arb.unservable_reason((v_one.w).pair_id, v_one.state) is not null;
      return next row('markets:all', (v_one.w).pair_id, stream.opportunity_frame('opened', v_one.w, v_one.state))::stream.frame;
      return next row('markets:all', (v_one.w).pair_id, stream.opportunity_frame('closed', v_one.w, v_one.state, v_one.ended))::stream.frame;
    elsif v_one.ended is not null then
      delete from stream.published_opportunities t where t.opportunity_id = (v_one.w).opportunity_id;
      return next row(
        'markets:all', (v_one.w).pair_id, stream.opportunity_frame('closed', v_one.w, coalesce(v_one.told, v_one.state), v_one.ended)
      )::stream.frame;
    elsif (v_one.told_no, v_one.told_change) is distinct from ((v_one.state).state_no, v_one.change_no) then
      -- Also where the pair alone changed: an Opportunity carries its title and start.
      insert into stream.published_opportunities as t (opportunity_id, pair_id, state_no, change_no)
      values ((v_one.w).opportunity_id, (v_one.w).pair_id, (v_one.state).state_no, v_one.change_no)
      on conflict (opportunity_id) do update
      set state_no = excluded.state_no,
          change_no = excluded.change_no;
      return next row(
        'markets:all', (v_one.w).pair_id,
        stream.opportunity_frame(case when v_one.told_no is null then 'opened' else 'updated' end, v_one.w, v_one.state)
      )::stream.frame;
    end if;
  end loop;
end
$$;
comment on function stream.opportunity_frames(uuid[]) is
  'Part of stream.publish_changes: opened, updated and closed, from what was told to what stands now; of several states within one flush the last. A window that may not be served now (arb.unservable_reason) is closed for listeners even before arb.close_ineligible has closed it.';

revoke all on function stream.opportunity_frames(uuid[]) from public;
