-- What a channel has come to: where a listener begins who has not heard it from its first frame.

create function stream.channel_state_of(p_channel text) returns json
language sql stable
set search_path = ''
-- One statement, so one snapshot: a writer's facts, its offset and what it noted as told are one commit, and all of them are seen or none.
as $$
  with shown as materialized (
    select t.pair_id
    from stream.published_markets t
    where case p_channel
        when 'sample' then t.pair_id in (select s.pair_id from stream.sample_markets s)
        else t.channel = p_channel
      end
      and t.status in ('open', 'live', 'resolving')
  ), framed as materialized (
    select stream.latest_updates_of(array(select s.pair_id from shown s)) as frames
  )
  select json_build_object(
    'channel', c.channel,
    'epoch', c.epoch,
    'offset', c.last_offset,
    'markets', (
      select coalesce(json_agg(stream.market_json(r::price.snapshot, n.read_a, n.read_b)::json order by r.start_time, r.pair_id), '[]')
      from framed f
      cross join lateral unnest(stream.render_markets(f.frames, true)) r
      join lateral unnest(f.frames) n on n.pair_id = r.pair_id
    ),
    'opportunities', (
      select coalesce(json_agg(arb.opportunity_json(p, w.opportunity_id, w.opened_at, s)::json order by s.cost, w.opportunity_id), '[]')
      from stream.published_opportunities t
      join arb.opportunities w on w.opportunity_id = t.opportunity_id
      join arb.opportunity_states s on s.opportunity_id = t.opportunity_id and s.state_no = t.state_no
      join catalog.pairs p on p.pair_id = t.pair_id
      where t.pair_id in (select x.pair_id from shown x)
    ),
    'feeds', case when p_channel = 'status' then (
      select coalesce(
        json_agg(json_build_object('venue', t.venue, 'state', t.state, 'last_message_at', base.format_time(f.last_message_at)) order by t.venue), '[]'
      )
      from stream.published_feeds t
      left join venue.feeds f on f.venue = t.venue
    ) end
  )
  from stream.channels c
  where c.channel = p_channel
$$;
comment on function stream.channel_state_of(text) is
  'All that a channel''s frames up to its offset have come to, of markets that are not over: {channel, epoch, offset, markets, opportunities, feeds}, as frames have them. Null for a channel that never was.';
revoke all on function stream.channel_state_of(text) from public;
