import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import type { Client } from '../session/client.ts';
import { callRpc } from '../session/rpc.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import { Live } from './live.ts';
import { createMarketQueries, type MarketQueries } from './market_queries.ts';
import { RealtimeSource } from './realtime_source.ts';

/**
 * Keeps the subscriptions after the last live page closes, so that the next live page starts with
 * data.
 */
const KEEP_SUBSCRIBED_MS = 30_000;

type SharedLive = {
  live: Live;
  client: Client;
  channel: string;
  users: number;
  ending?: ReturnType<typeof setTimeout>;
};

let shared: SharedLive | null = null;

/** The market channel that this tier includes. */
export function marketChannelOf(tier: string): string {
  return tier === 'free' ? 'sample' : 'markets:all';
}

function sharedLiveFor(client: Client, channel: string): SharedLive {
  if (shared?.client === client && shared.channel === channel) return shared;
  if (shared) {
    clearTimeout(shared.ending);
    shared.live.stop();
  }
  const live = new Live({
    source: new RealtimeSource(client),
    readChannelState: (name) => createMarketQueries((rpc, args) => callRpc(client, rpc, args)).channelState(name),
    marketChannel: channel,
  });
  live.start();
  shared = { live, client, channel, users: 0 };
  return shared;
}

/** The live data of the member's organization. All pages share one instance. */
export function useMemberLive(): Live {
  const { client, organization } = useMember();
  const channel = marketChannelOf(organization.tier);
  const mine = useMemo(() => sharedLiveFor(client, channel), [client, channel]);
  useEffect(() => {
    mine.users++;
    clearTimeout(mine.ending);
    return () => {
      mine.users--;
      mine.ending = setTimeout(() => {
        if (mine.users > 0) return;
        mine.live.stop();
        if (shared === mine) shared = null;
      }, KEEP_SUBSCRIBED_MS);
    };
  }, [mine]);
  return mine.live;
}

export function useMarketQueries(): MarketQueries {
  const rpc = useRpc();
  return useMemo(() => createMarketQueries(rpc.call), [rpc]);
}

/** Renders the calling component again after a change, at most once an animation frame. */
export function useRedrawOnChange(live: Live): void {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    // A change may have arrived between the first render and this effect.
    draw(undefined);
    return live.onChange(() => draw(undefined));
  }, [live]);
}

/** Whether the browser is online. */
export function useOnline(): boolean {
  const [online, setOnline] = useState(() => navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return online;
}
