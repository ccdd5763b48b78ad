import { useMemo, useReducer, useState } from 'preact/hooks';
import { Choice } from '../components/choice.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { duration } from '../components/format.ts';
import { Grid } from '../components/grid.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { useMediaQuery } from '../components/use_media_query.ts';
import './live.css';
import './markets.css';
import './market_row.css';
import './watch.css';
import { ChannelDenied } from './channel_denied.tsx';
import { ConnectionStatus } from './connection_status.tsx';
import type { Live } from './live.ts';
import { columnsOf, sortOptions } from './market_columns.ts';
import { MarketFigures } from './market_figures.ts';
import { type Filter, filterOfQuery, NO_FILTER } from './market_filter.ts';
import { MarketFilters } from './market_filters.tsx';
import type { MarketQueries } from './market_queries.ts';
import { MarketRow } from './market_row.tsx';
import { NotLoaded, useLoadFailure } from './not_loaded.tsx';
import { DEFAULT_SORT, type Sort, sortAfterPress, sortOfText, textOfSort } from './sort_order.ts';
import { isStale } from './stale.ts';
import { useGapTrails } from './use_gap_trails.ts';
import { useMarketQueries, useMemberLive, useOnline, useRedrawOnChange } from './use_live.ts';
import { useMarketTerms } from './use_market_terms.ts';
import { useSortOrder } from './use_sort_order.ts';
import { useWatchList } from './watch_list.ts';

export function MarketsPage() {
  return <MarketsView live={useMemberLive()} ask={useMarketQueries()} />;
}

/** Answers: where is an edge after fees, and how reliable is the difference of the two venues? */
export function MarketsView({ live, ask }: { live: Live; ask: MarketQueries }) {
  useRedrawOnChange(live);
  const [filter, setFilter] = useState<Filter>(() => filterOfQuery(new URLSearchParams(location.search)));
  const [sort, setSort] = useState<Sort>(() => sortOfText(new URLSearchParams(location.search).get('sort')));
  const choose = (next: Filter) => {
    keepInAddress(next, sort);
    setFilter(next);
  };
  const order = (next: Sort) => {
    keepInAddress(filter, next);
    setSort(next);
  };
  const { markets } = live.store;
  // The same element is not compared again. Prices change many times a second, the options seldom.
  const filters = useMemo(
    () => <MarketFilters filter={filter} markets={markets} onChange={choose} />,
    [filter, sort, markets, markets.size],
  );
  return (
    <div class="markets">
      <PageHead title="Markets">Where is an edge after fees, and how do the two venues settle?</PageHead>
      {filters}
      {live.isLoaded ? (
        <MarketList
          live={live}
          ask={ask}
          filter={filter}
          sort={sort}
          onSort={order}
          onClear={() => choose(NO_FILTER)}
        />
      ) : (
        <Loading live={live} />
      )}
    </div>
  );
}

type ListProps = {
  live: Live;
  ask: MarketQueries;
  filter: Filter;
  sort: Sort;
  onSort(sort: Sort): void;
  onClear(): void;
};

function MarketList({ live, ask, filter, sort, onSort, onClear }: ListProps) {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const watched = useWatchList();
  const trails = useGapTrails(live);
  const { terms, error } = useMarketTerms(live, ask);
  const figures = useMemo(() => new MarketFigures(() => live.clock.now()), [live]);
  figures.setTerms(terms);
  figures.setOpportunities(live.store.opportunities);
  const { ids, shownOf, moved, sortAgain } = useSortOrder(live, filter, sort, { figures, watched: watched.ids });
  const height = useRowHeight();
  const columns = useMemo(() => columnsOf(sort, (by) => onSort(sortAfterPress(sort, by))), [sort, onSort]);
  const { markets } = live.store;
  const online = useOnline();
  return (
    <>
      <ConnectionStatus live={live}>
        <p class="sorting">
          <span class="muted" title="The lines in the column Gap show prices that this page received live.">
            {ids.length === 1 ? '1 market' : `${ids.length} markets`}
            {trails.period > 0 && ` · lines: last ${duration(trails.period)}`}
          </span>
          <span class="sort-choice">
            <Choice
              label="Sort"
              all={null}
              value={textOfSort(sort)}
              options={sortOptions}
              onChange={(text) => onSort(sortOfText(text))}
            />
          </span>
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
      {error && !figures.hasTerms && (
        <p class="small problem" role="status">
          The fees could not be read, so edges after fees are missing. {error.message} The page tries again by itself.
        </p>
      )}
      {ids.length === 0 ? (
        <Nothing all={markets.size === 0} watched={filter.watched === '1'} onClear={onClear} />
      ) : (
        <div class={`card market-table ${isStale(live, online) ? 'is-outdated' : ''}`}>
          <Grid
            label="Markets"
            columns={columns}
            count={ids.length}
            rowHeight={height}
            rowKind="market-row"
            headKind="market-heads"
            row={(index) => {
              const id = ids[index];
              const market = id === undefined ? undefined : markets.get(id);
              if (!market) return null;
              return (
                <MarketRow
                  key={market.id}
                  market={market}
                  edge={figures.edgeOf(market)}
                  profit={figures.profitOf(market)}
                  terms={figures.termsOf(market)}
                  trail={trails.of(market.id)}
                  watched={watched.ids.has(market.id)}
                  shown={shownOf(market.id)}
                  index={index}
                  clock={live.clock}
                  onWatch={watched.toggle}
                />
              );
            }}
          />
        </div>
      )}
    </>
  );
}

function Nothing({ all, watched, onClear }: { all: boolean; watched: boolean; onClear(): void }) {
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
      title={watched ? 'No watched market matches these filters' : 'No market matches these filters'}
      action={
        <button type="button" class="button" onClick={onClear}>
          Clear filters
        </button>
      }
    >
      {watched &&
        'The star at the start of a row puts a market on your watch list. The list is stored in this browser.'}
    </EmptyState>
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
 * Row height in px. The virtual list needs it before a row renders. market_row.css has the same
 * breakpoints.
 */
function useRowHeight(): number {
  const narrow = useMediaQuery('(max-width: 1100px)');
  const huge = useMediaQuery('(min-width: 2200px)');
  if (narrow) return 232;
  return huge ? 84 : 68;
}

/** Stores the filters and the order in the address, so that the link can be shared. */
function keepInAddress(filter: Filter, sort: Sort): void {
  const query = new URLSearchParams(Object.entries(filter).filter(([, value]) => value !== ''));
  if (textOfSort(sort) !== textOfSort(DEFAULT_SORT)) query.set('sort', textOfSort(sort));
  const text = query.toString();
  history.replaceState(null, '', text ? `?${text}` : location.pathname);
}
