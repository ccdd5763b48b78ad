import { useReducer, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { Grid } from '../components/grid.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { useMediaQuery } from '../components/use_media_query.ts';
import './live.css';
import './markets.css';
import { ChannelDenied } from './channel_denied.tsx';
import { ConnectionStatus, isStale } from './connection_status.tsx';
import type { Live } from './live.ts';
import { MarketFilters } from './market_filters.tsx';
import { MarketRow } from './market_row.tsx';
import { NotLoaded, useLoadFailure } from './not_loaded.tsx';
import { type Filter, NO_FILTER } from './sort_order.ts';
import { useMemberLive, useOnline, useRedrawOnChange } from './use_live.ts';
import { useSortOrder } from './use_sort_order.ts';

const columns = [
  { title: 'Spread, pts' },
  { title: 'Market' },
  { title: 'Asks on both venues' },
  { title: 'Settlement' },
  { title: 'Book age' },
];

export function MarketsPage() {
  return <MarketsView live={useMemberLive()} />;
}

/** Answers: where do the prices of the two venues differ, and how reliable is the difference? */
export function MarketsView({ live }: { live: Live }) {
  useRedrawOnChange(live);
  const [filter, setFilter] = useState<Filter>(filterOfAddress);
  const choose = (next: Filter) => {
    keepInAddress(next);
    setFilter(next);
  };
  return (
    <div class="markets">
      <PageHead title="Markets">Where do the two venues differ in price, and how do they settle?</PageHead>
      <MarketFilters filter={filter} markets={live.store.markets} onChange={choose} />
      {live.isLoaded ? (
        <MarketList live={live} filter={filter} onClear={() => choose(NO_FILTER)} />
      ) : (
        <Loading live={live} />
      )}
    </div>
  );
}

function MarketList({ live, filter, onClear }: { live: Live; filter: Filter; onClear(): void }) {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const { ids, shownOf, moved, sortAgain } = useSortOrder(live, filter);
  const height = useRowHeight();
  const { markets } = live.store;
  const online = useOnline();
  return (
    <>
      <ConnectionStatus live={live}>
        <p class="sorting">
          <span class="muted">{ids.length === 1 ? '1 market' : `${ids.length} markets`}, widest spread first</span>
          <button
            type="button"
            class="button little"
            disabled={moved === 0}
            title="Rows keep their places while prices move."
            onClick={() => {
              sortAgain();
              draw(undefined);
            }}
          >
            <Icon name="rotate" />
            {moved === 0 ? 'Sorted' : 'Sort again'}
          </button>
        </p>
      </ConnectionStatus>
      {ids.length === 0 ? (
        <Nothing all={markets.size === 0} onClear={onClear} />
      ) : (
        <div class={`card market-table ${isStale(live, online) ? 'is-outdated' : ''}`}>
          <Grid
            label="Markets by spread"
            columns={columns}
            count={ids.length}
            rowHeight={height}
            rowKind="market-row"
            headKind="market-heads"
            row={(index) => {
              const id = ids[index];
              const market = id === undefined ? undefined : markets.get(id);
              if (!market) return null;
              const shown = shownOf(market.id);
              return <MarketRow key={market.id} market={market} shown={shown} index={index} clock={live.clock} />;
            }}
          />
        </div>
      )}
    </>
  );
}

function Nothing({ all, onClear }: { all: boolean; onClear(): void }) {
  if (all) {
    return (
      <EmptyState icon="markets" title="No paired markets yet">
        Markets appear here as soon as both venues list the same question.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon="search"
      title="No market matches these filters"
      action={
        <button type="button" class="button" onClick={onClear}>
          Clear filters
        </button>
      }
    />
  );
}

function Loading({ live }: { live: Live }) {
  const failure = useLoadFailure(live);
  if (live.status === 'denied') return <ChannelDenied />;
  if (failure) {
    return (
      <>
        <ConnectionStatus live={live} />
        <NotLoaded what="markets" failure={failure} />
      </>
    );
  }
  return (
    <>
      <ConnectionStatus live={live} />
      <div class="card market-table" aria-hidden="true">
        {Array.from({ length: 8 }, (_, row) => (
          <div key={row} class="market-row">
            <span class="wait" />
            <span class="wait" />
            <span class="wait" />
          </div>
        ))}
      </div>
    </>
  );
}

/**
 * Row height in px. The virtual list needs it before a row renders. markets.css has the same
 * breakpoints.
 */
function useRowHeight(): number {
  const narrow = useMediaQuery('(max-width: 1100px)');
  const huge = useMediaQuery('(min-width: 2200px)');
  if (narrow) return 200;
  return huge ? 84 : 68;
}

function filterOfAddress(): Filter {
  const query = new URLSearchParams(location.search);
  const signal = query.get('signal');
  return {
    search: query.get('search') ?? '',
    category: query.get('category') ?? '',
    sport: query.get('sport') ?? '',
    signal: signal === 'arb' || signal === 'spread' ? signal : '',
  };
}

/** Stores the filters in the address, so that the link can be shared. */
function keepInAddress(filter: Filter): void {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  const text = query.toString();
  history.replaceState(null, '', text ? `?${text}` : location.pathname);
}
