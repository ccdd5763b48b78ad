import { useMemo } from 'preact/hooks';
import { Choice } from '../components/choice.tsx';
import type { Market } from './frames.ts';
import type { Filter } from './sort_order.ts';

const signals = [
  ['', 'All'],
  ['arb', 'Arb'],
  ['spread', 'Spread'],
] as const;

/** The filters of the list. The options are the categories and sports of the loaded markets. */
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
  const [categories, sports] = useMemo(
    () => [namesOf(markets, (market) => market.category), namesOf(markets, (market) => market.sport)],
    [markets, size],
  );
  return (
    <search class="filters">
      <input
        class="input"
        type="search"
        placeholder="Team, league, asset …"
        aria-label="Search markets"
        value={filter.search}
        onInput={(event) => onChange({ ...filter, search: event.currentTarget.value })}
      />
      <Choice
        label="Category"
        value={filter.category}
        options={categories}
        onChange={(category) => onChange({ ...filter, category, sport: '' })}
      />
      {(filter.category === '' || filter.category === 'sports') && (
        <Choice
          label="Sport"
          value={filter.sport}
          options={sports}
          onChange={(sport) => onChange({ ...filter, sport })}
        />
      )}
      <fieldset class="segments" aria-label="Signal">
        {signals.map(([signal, word]) => (
          <button
            key={signal}
            type="button"
            aria-pressed={filter.signal === signal}
            onClick={() => onChange({ ...filter, signal })}
          >
            {word}
          </button>
        ))}
      </fieldset>
    </search>
  );
}

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
