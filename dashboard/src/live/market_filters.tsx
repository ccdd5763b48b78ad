import { useMemo, useState } from 'preact/hooks';
import { Choice } from '../components/choice.tsx';
import { Icon } from '../components/icon.tsx';
import type { Market } from './frames.ts';
import type { Filter } from './market_filter.ts';

const signals = [
  ['', 'All'],
  ['arb', 'Arb'],
  ['spread', 'Spread'],
] as const;

const edges = [
  ['0', 'Edge from 0 pts'],
  ['0.5', 'Edge from 0.5 pts'],
  ['1', 'Edge from 1 pt'],
  ['2', 'Edge from 2 pts'],
  ['5', 'Edge from 5 pts'],
] as const;

const profits = [
  ['1', 'Profit from $1'],
  ['10', 'Profit from $10'],
  ['100', 'Profit from $100'],
  ['1000', 'Profit from $1,000'],
] as const;

const starts = [
  ['started', 'Has started'],
  ['1', 'Starts within 1 h'],
  ['6', 'Starts within 6 h'],
  ['24', 'Starts within 1 day'],
  ['168', 'Starts within 7 days'],
] as const;

/**
 * The filters of the list. The options of category, sport and competition are those of the loaded
 * markets.
 */
export function MarketFilters({
  filter,
  markets,
  onChange,
}: {
  filter: Filter;
  markets: ReadonlyMap<string, Market>;
  onChange(filter: Filter): void;
}) {
  const { size } = markets;
  const [categories, sports, competitions] = useMemo(
    () => [
      namesOf(markets, (market) => market.category),
      namesOf(markets, (market) => market.sport),
      namesOf(markets, (market) => (inCategory(market, filter) ? market.competition : null)),
    ],
    [markets, size, filter.category, filter.sport],
  );
  const [isOpen, setOpen] = useState(false);
  const choose = (change: Partial<Filter>) => onChange({ ...filter, ...change });
  return (
    <search class="filters">
      <input
        class="input"
        type="search"
        placeholder="Team, league, asset …"
        aria-label="Search markets"
        value={filter.search}
        onInput={(event) => choose({ search: event.currentTarget.value })}
      />
      <button
        type="button"
        class={`button watched-filter ${filter.watched ? 'is-on' : ''}`}
        aria-pressed={filter.watched === '1'}
        onClick={() => choose({ watched: filter.watched ? '' : '1' })}
      >
        <Icon name="star" />
        Watched
      </button>
      <button
        type="button"
        class="button more-filters"
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={() => setOpen(!isOpen)}
      >
        {moreText(filter)}
      </button>
      <div id="more-filters" class={`more ${isOpen ? 'is-open' : ''}`}>
        <Choice
          label="Category"
          value={filter.category}
          options={categories}
          onChange={(category) => choose({ category, sport: '', competition: '' })}
        />
        {(filter.category === '' || filter.category === 'sports') && (
          <Choice
            label="Sport"
            value={filter.sport}
            options={sports}
            onChange={(sport) => choose({ sport, competition: '' })}
          />
        )}
        <Choice
          label="Competition"
          value={filter.competition}
          options={competitions}
          onChange={(competition) => choose({ competition })}
        />
        <Choice
          label="Edge"
          all="Edge: any"
          value={filter.edge}
          options={edges}
          onChange={(edge) => choose({ edge })}
        />
        <Choice
          label="Profit"
          all="Profit: any"
          value={filter.profit}
          options={profits}
          onChange={(profit) => choose({ profit })}
        />
        <Choice
          label="Time to start"
          all="Start: any time"
          value={filter.starts}
          options={starts}
          onChange={(next) => choose({ starts: next })}
        />
      </div>
      <fieldset class="segments" aria-label="Signal">
        {signals.map(([signal, word]) => (
          <button key={signal} type="button" aria-pressed={filter.signal === signal} onClick={() => choose({ signal })}>
            {word}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

/** The button on narrow screens, with the number of filters behind it that are set. */
function moreText({ category, sport, competition, edge, profit, starts }: Filter): string {
  const set = [category, sport, competition, edge, profit, starts].filter((value) => value !== '').length;
  return set === 0 ? 'More filters' : `More filters (${set})`;
}

const inCategory = (market: Market, { category, sport }: Filter): boolean =>
  (category === '' || market.category === category) && (sport === '' || market.sport === sport);

function namesOf(
  markets: ReadonlyMap<string, Market>,
  nameOf: (market: Market) => string | null,
): [value: string, name: string][] {
  const names = new Set<string>();
  for (const market of markets.values()) {
    const name = nameOf(market);
    if (name) names.add(name);
  }
  return [...names].sort().map((name) => [name, name]);
}
