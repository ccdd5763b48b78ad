import type { ComponentChildren } from 'preact';
import { Icon } from '../components/icon.tsx';
import { Freshness } from './freshness.tsx';
import type { Live } from './live.ts';
import { useOnline } from './use_live.ts';

type Indicator = { kind: string; label: string; description: string };

type ConnectionStatusProps = {
  live: Live;
  /** Id of the market, on the page of one market. */
  marketId?: string;
  children?: ComponentChildren;
};

/** Shows whether the prices are live and, if not, how old they can be and what happens next. */
export function ConnectionStatus({ live, marketId, children }: ConnectionStatusProps) {
  const online = useOnline();
  const indicator = indicatorOf(live, online);
  const isDelayed = marketId !== undefined && indicator.kind === 'is-up' && !live.store.markets.has(marketId);
  const { kind, label, description } = isDelayed ? DELAYED : indicator;
  return (
    <div class="connection-status">
      <p class={`state ${kind}`} role="status">
        {kind === 'is-down' ? <Icon name={online ? 'warning' : 'offline'} /> : <span class="dot" aria-hidden="true" />}
        {label}
      </p>
      <p class="muted description">{description}</p>
      {children}
      <Freshness live={live} />
    </div>
  );
}

const DELAYED: Indicator = {
  kind: 'is-stale',
  label: 'Delayed',
  description: 'This market is not in your live channel. Its prices are delayed by about two minutes.',
};

function indicatorOf(live: Live, online: boolean): Indicator {
  if (!online)
    return {
      kind: 'is-down',
      label: 'Offline',
      description: live.isLoaded
        ? 'The page shows the last known prices and updates when the network is back.'
        : 'The page loads when the network is back.',
    };
  if (live.status === 'denied') {
    return {
      kind: 'is-down',
      label: 'Not in your plan',
      description: 'Your plan does not include this channel. See Usage for your plan.',
    };
  }
  if (live.status === 'lost') {
    const description = live.isLoaded
      ? 'Prices may be stale. The page reconnects automatically.'
      : 'The page reconnects automatically.';
    return { kind: 'is-stale', label: 'Reconnecting', description };
  }
  if (!live.isLoaded) return { kind: 'is-waiting', label: 'Connecting', description: live.error ?? '' };
  if (live.status === 'connecting')
    return { kind: 'is-stale', label: 'Connecting', description: 'Prices may be stale.' };
  const sample = live.marketChannel === 'sample';
  return {
    kind: 'is-up',
    label: 'Live',
    description: sample
      ? 'The Free plan includes a sample: up to 20 markets, one price per second each.'
      : 'Prices arrive without delay.',
  };
}
