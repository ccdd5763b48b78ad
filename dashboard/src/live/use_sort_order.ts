import { useEffect, useRef } from 'preact/hooks';
import { useNow } from '../components/now.ts';
import type { Live } from './live.ts';
import type { Filter, FilterContext } from './market_filter.ts';
import { countMovedRows, type Sort, sortedIds, stableOrder, widestOutcomes } from './sort_order.ts';

/** Outcomes that fit in a row of the list. */
export const MAX_OUTCOMES_SHOWN = 3;

/** The list is sorted again when one of these changes. `hasTerms`: before, no edge is known. */
type Wanted = { filter: Filter; sort: Sort; hasTerms: boolean };

type SortState = {
  ids: string[];
  /** Number of rows in the store when `ids` was computed. New rows are appended; no row moves. */
  rows: number;
  wanted: Wanted | null;
  shown: Map<string, readonly string[]>;
  moved: number;
  movedAt: number;
};

/** The order of the list, kept until the user sorts it, and how many rows sorting would move. */
export function useSortOrder(
  live: Live,
  filter: Filter,
  sort: Sort,
  { figures, watched }: Pick<FilterContext, 'figures' | 'watched'>,
): { ids: readonly string[]; shownOf(id: string): readonly string[] | null; moved: number; sortAgain(): void } {
  const now = useNow();
  const held = useRef<SortState>({ ids: [], rows: 0, wanted: null, shown: new Map(), moved: 0, movedAt: 0 });
  const { markets } = live.store;
  const mine = held.current;
  const context = { figures, watched, now: live.clock.now() };
  const isWanted =
    mine.wanted?.filter === filter && mine.wanted.sort === sort && mine.wanted.hasTerms === figures.hasTerms;

  if (!isWanted || mine.ids.length === 0) {
    const ids = sortedIds(markets.values(), filter, sort, context);
    Object.assign(mine, { ids, wanted: { filter, sort, hasTerms: figures.hasTerms }, shown: new Map(), moved: 0 });
  } else if (mine.rows !== markets.size) {
    mine.ids = stableOrder(mine.ids, markets, filter, sort, context);
  }
  mine.rows = markets.size;
  // At most once a second: the count sorts up to a thousand rows.
  if (mine.movedAt !== now) {
    const sorted = sortedIds(markets.values(), filter, sort, context);
    Object.assign(mine, { moved: countMovedRows(mine.ids, sorted), movedAt: now });
  }

  useEffect(() => {
    const resortIfVisible = () => {
      // The page was hidden, so sorting cannot move a row away under the pointer.
      if (document.visibilityState === 'visible') held.current.wanted = null;
    };
    document.addEventListener('visibilitychange', resortIfVisible);
    return () => document.removeEventListener('visibilitychange', resortIfVisible);
  }, []);

  return {
    ids: mine.ids,
    moved: mine.moved,
    sortAgain: () => {
      mine.wanted = null;
    },
    shownOf: (id) => {
      const market = markets.get(id);
      if (!market || market.outcomes.length <= MAX_OUTCOMES_SHOWN) return null;
      const known = mine.shown.get(id) ?? widestOutcomes(market, MAX_OUTCOMES_SHOWN).map((outcome) => outcome.key);
      mine.shown.set(id, known);
      return known;
    },
  };
}
