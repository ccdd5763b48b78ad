-- Opportunities on the stream. As in REST, arb.unservable_reason decides which may be published,
-- here for the present moment.

create function stream.opportunity_frame(
  p_state text, p_opportunity arb.opportunities, p_terms arb.opportunity_states, p_reason text default null
) returns text
language sql stable
set search_path = ''
as $$
  select '{"type":"opportunity","state":"' || p_state
    || '","opportunity":' || arb.opportunity_json(p, p_opportunity.opportunity_id, p_opportunity.opened_at, p_terms)
    || case
      when p_state = 'closed' then
        ',"closed_at":"' || base.format_time(least(p_opportunity.closed_at, clock.now())) || '","reason":'
        || to_json(p_reason)
        || ',"retracted":' || (p_opportunity.retracted_at is not null)
      else ''
    end
    || '}'
  from catalog.pairs p
  where p.pair_id = p_opportunity.pair_id
$$;
comment on function stream.opportunity_frame(
  text, arb.opportunities, arb.opportunity_states, text
) is
  'An opportunity frame. A closed one also has closed_at, reason and retracted (it opened on a '
  'book that was already invalid).';

create function stream.opportunity_frames(p_pairs uuid[]) returns setof stream.frame
language plpgsql volatile
set search_path = ''
as $$
declare
  v_one record;
begin
  -- An opportunity that was purged cannot be rendered.
  delete from stream.published_opportunities t
  where t.pair_id = any (p_pairs)
    and not exists (select from arb.opportunities o where o.opportunity_id = t.opportunity_id);
  for v_one in
    select o as opportunity, s.state, t.state_no as published_no, t.change_no as published_change, p.change_no,
           (
             select x
             from arb.opportunity_states x
             where x.opportunity_id = t.opportunity_id and x.state_no = t.state_no
           ) as published,
           case
             when o.closed_at < 'infinity' then o.close_reason
             else arb.unservable_reason(o.pair_id, s.state)
           end as end_reason
    from arb.opportunities o
    left join catalog.pairs p on p.pair_id = o.pair_id
    left join stream.published_opportunities t on t.opportunity_id = o.opportunity_id
    left join lateral (
      select x as state
      from arb.opportunity_states x
      where x.opportunity_id = o.opportunity_id
      order by x.state_no desc
      limit 1
    ) s on true
    where o.pair_id = any (p_pairs)
      and (
        t.opportunity_id is not null
        or o.closed_at = 'infinity'
        -- Opened and closed within this flush. REST returns it for that moment, so it is published
        -- as well.
        or (o.recorded_at >= now() and o.retracted_at is null)
      )
    -- The old opportunity of a pair closes before the new one opens.
    order by o.opened_at, o.opportunity_id
  loop
    continue when v_one.state is null;
    if v_one.published_no is null and v_one.end_reason is not null then
      continue when (v_one.opportunity).closed_at = 'infinity'
        or arb.unservable_reason((v_one.opportunity).pair_id, v_one.state) is not null;
      perform arb.record_served((v_one.opportunity).opportunity_id, (v_one.state).state_no);
      return next row(
        'markets:all', (v_one.opportunity).pair_id, stream.opportunity_frame('opened', v_one.opportunity, v_one.state)
      )::stream.frame;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame('closed', v_one.opportunity, v_one.state, v_one.end_reason)
      )::stream.frame;
    elsif v_one.end_reason is not null then
      delete from stream.published_opportunities t where t.opportunity_id = (v_one.opportunity).opportunity_id;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame('closed', v_one.opportunity, coalesce(v_one.published, v_one.state), v_one.end_reason)
      )::stream.frame;
    elsif (v_one.published_no, v_one.published_change) is distinct from ((v_one.state).state_no, v_one.change_no) then
      perform arb.record_served((v_one.opportunity).opportunity_id, (v_one.state).state_no);
      -- Also when only the pair changed: an Opportunity has its title and start.
      insert into stream.published_opportunities as t (opportunity_id, pair_id, state_no, change_no)
      values ((v_one.opportunity).opportunity_id, (v_one.opportunity).pair_id, (v_one.state).state_no, v_one.change_no)
      on conflict (opportunity_id) do update
      set state_no = excluded.state_no,
          change_no = excluded.change_no;
      return next row(
        'markets:all', (v_one.opportunity).pair_id,
        stream.opportunity_frame(
          case when v_one.published_no is null then 'opened' else 'updated' end, v_one.opportunity, v_one.state
        )
      )::stream.frame;
    end if;
  end loop;
end
$$;
comment on function stream.opportunity_frames(uuid[]) is
  'Part of stream.publish_changes: opened, updated and closed frames; of several states within '
  'one flush, the last. Also closes what arb.close_ineligible has not closed yet.';

revoke all on function stream.opportunity_frames(uuid[]) from public;
