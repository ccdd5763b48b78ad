import { useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import { useAsking } from '../session/asking.ts';
import { call } from '../session/call.ts';
import type { Client } from '../session/client.ts';
import { useMember } from '../session/session.tsx';
import { type Ask, askBy } from './ask.ts';
import { Live } from './live.ts';
import { RealtimeListener } from './realtime_listener.ts';

/** How long it is listened on after the last page that shows it: going from one live page to the next must not begin anew. */
const LINGER_MS = 30_000;

type Kept = { live: Live; client: Client; channel: string; users: number; ending?: ReturnType<typeof setTimeout> };

let kept: Kept | null = null;

/** The channel of markets that an organization of this tier hears. */
export function marketChannelOf(tier: string): string {
  return tier === 'free' ? 'sample' : 'markets:all';
}

function keptFor(client: Client, channel: string): Kept {
  if (kept?.client === client && kept.channel === channel) return kept;
  if (kept) {
    clearTimeout(kept.ending);
    kept.live.stop();
  }
  const live = new Live({
    listener: new RealtimeListener(client),
    readSnapshot: (of) => askBy((name, args) => call(client, name, args)).snapshot(of),
    marketChannel: channel,
  });
  live.start();
  kept = { live, client, channel, users: 0 };
  return kept;
}

/** The live feed that the member's organization may hear; one for all pages. */
export function useMemberLive(): Live {
  const { client, organization } = useMember();
  const channel = marketChannelOf(organization.tier);
  const mine = useMemo(() => keptFor(client, channel), [client, channel]);
  useEffect(() => {
    mine.users++;
    clearTimeout(mine.ending);
    return () => {
      mine.users--;
      mine.ending = setTimeout(() => {
        if (mine.users > 0) return;
        mine.live.stop();
        if (kept === mine) kept = null;
      }, LINGER_MS);
    };
  }, [mine]);
  return mine.live;
}

export function useAsk(): Ask {
  const asking = useAsking();
  return useMemo(() => askBy(asking.call), [asking]);
}

/** Draws the caller again with what has changed, at most once a picture. */
export function useChanges(live: Live): void {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    // Something may have come between the first drawing and now.
    draw(undefined);
    return live.watch(() => draw(undefined));
  }, [live]);
}

/** Whether the browser has a network. */
export function useOnline(): boolean {
  const [online, setOnline] = useState(() => navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return online;
}

/** Whether a media query holds, as it changes. */
export function useMedia(query: string): boolean {
  const media = useRef(matchMedia(query));
  const [holds, setHolds] = useState(media.current.matches);
  useEffect(() => {
    const list = media.current;
    const look = () => setHolds(list.matches);
    list.addEventListener('change', look);
    return () => list.removeEventListener('change', look);
  }, []);
  return holds;
}
