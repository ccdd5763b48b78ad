-- The present state of a channel, for a client that has not read it from its first frame.

create function stream.channel_state_of(p_channel text) returns json
language sql stable
set search_path = ''
-- One statement, so one snapshot: the changes, the offset and the published state of a writer are
-- one commit, and are seen together or not at all.
as $$
  with published as materialized (
    select t.pair_id
    from stream.published_markets t
    where case p_channel
      when 'sample' then t.pair_id in (select s.pair_id from stream.sample_markets s)
      else t.channel = p_channel
    end
      and t.status in ('open', 'live', 'resolving')
  ), latest as materialized (
    select stream.latest_updates_of(array(select s.pair_id from published s)) as updates
  )
  select json_build_object(
    'channel', c.channel,
    'epoch', c.epoch,
    'offset', c.last_offset,
    'markets', (
      select coalesce(
        json_agg(stream.market_json(r::price.snapshot, u.read_a, u.read_b)::json order by r.start_time, r.pair_id), '[]'
      )
      from latest l
      cross join lateral unnest(stream.render_markets(l.updates, true)) r
      join lateral unnest(l.updates) u on u.pair_id = r.pair_id
    ),
    'opportunities', (
      select coalesce(
        json_agg(arb.opportunity_json(p, o.opportunity_id, o.opened_at, s)::json order by s.cost, o.opportunity_id),
        '[]'
      )
      from stream.published_opportunities t
      join arb.opportunities o on o.opportunity_id = t.opportunity_id
      join arb.opportunity_states s on s.opportunity_id = t.opportunity_id and s.state_no = t.state_no
      join catalog.pairs p on p.pair_id = t.pair_id
      where t.pair_id in (select x.pair_id from published x)
    ),
    'feeds', case when p_channel = 'status' then (
      select coalesce(
        json_agg(
          json_build_object('venue', t.venue, 'state', t.state, 'last_message_at', base.format_time(f.last_message_at))
          order by t.venue
        ), '[]'
      )
      from stream.published_feeds t
      left join venue.feeds f on f.venue = t.venue
    ) end,
    'quotes', case when p_channel = 'quotes:all' then (
      select coalesce(json_agg(q.json::json), '[]')
      from stream.render_quotes(array(
        select row(t.pair_id, t.venue, t.contract_id, t.side, t.bid, t.ask, t.bid_size, t.ask_size, t.venue_time,
          t.read_at, null, false)::stream.leg_quote
        from stream.published_quotes t
        where coalesce(t.bid, t.ask) is not null
        order by t.pair_id, t.venue, t.contract_id, t.side
      )) q
    ) end,
    'best', case when p_channel = 'best:all' then (
      select coalesce(json_agg(stream.best_json(b, null)::json order by b.pair_id), '[]')
      from stream.published_best b
      where b.quotes <> '[]'
    ) end
  )
  from stream.channels c
  where c.channel = p_channel
$$;
comment on function stream.channel_state_of(text) is
  'State of a channel at its offset, of markets that are not over: {channel, epoch, offset, '
  'markets, opportunities, feeds, quotes, best}. Null when the channel does not exist.';
revoke all on function stream.channel_state_of(text) from public;
