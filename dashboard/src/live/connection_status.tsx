import type { ComponentChildren } from 'preact';
import { Icon } from '../components/icon.tsx';
import { Freshness } from './freshness.tsx';
import type { Live } from './live.ts';
import { useOnline } from './use_live.ts';

type Indicator = { kind: string; word: string; why: string };

type ConnectionStatusProps = {
  live: Live;
  /** The one market that the page is about. */
  about?: string;
  children?: ComponentChildren;
};

/** Says whether the page is live, and what it shows while it is not: the last known state, never as if it were fresh. */
export function ConnectionStatus({ live, about, children }: ConnectionStatusProps) {
  const online = useOnline();
  const standing = indicatorOf(live, online);
  const unheard = about !== undefined && standing.kind === 'is-up' && !live.store.markets.has(about);
  const { kind, word, why } = unheard ? DELAYED : standing;
  return (
    <div class="live-line">
      <p class={`state ${kind}`} role="status">
        {kind === 'is-down' ? <Icon name={online ? 'warning' : 'offline'} /> : <span class="dot" aria-hidden="true" />}
        {word}
      </p>
      <p class="muted why">{why}</p>
      {children}
      <Freshness live={live} />
    </div>
  );
}

const DELAYED: Indicator = {
  kind: 'is-stale',
  word: 'Delayed',
  why: 'This market is not in your live feed. Its prices are about two minutes old.',
};

/** Whether the asks of this market come live. */
export function isLive(live: Live, market: string): boolean {
  return navigator.onLine && live.status === 'subscribed' && live.store.markets.has(market);
}

/** Whether prices on the page may be older than the market; they are drawn paler then. */
export function isStale(live: Live, online: boolean): boolean {
  return !online || (live.isLoaded && live.status !== 'subscribed');
}

function indicatorOf(live: Live, online: boolean): Indicator {
  if (!online)
    return {
      kind: 'is-down',
      word: 'Offline',
      why: live.isLoaded
        ? 'Prices are those from before. They go on when the network is back.'
        : 'Nothing has been loaded yet. It loads when the network is back.',
    };
  if (live.status === 'denied') {
    return {
      kind: 'is-down',
      word: 'Refused',
      why: 'Your organization may not hear this feed. Look at its plan under Usage.',
    };
  }
  if (live.status === 'lost') {
    const why = live.isLoaded ? 'What you see may be old. Nothing is needed from you.' : 'Nothing is needed from you.';
    return { kind: 'is-stale', word: 'Connecting again', why };
  }
  if (!live.isLoaded) return { kind: 'is-waiting', word: 'Connecting', why: live.error ?? '' };
  if (live.status === 'connecting') return { kind: 'is-stale', word: 'Connecting', why: 'What you see may be old.' };
  const sample = live.marketChannel === 'sample';
  return {
    kind: 'is-up',
    word: 'Live',
    why: sample
      ? 'Free hears a sample: 20 markets at most, one price a second each.'
      : 'Each price as it is read, without delay.',
  };
}
