import { familyName, type Rule, type RuleFilter, ruleStates, stateMarks } from './rule.ts';

type Props = { filter: RuleFilter; rules: readonly Rule[]; onChange(filter: RuleFilter): void };

/** The filters of the list. The families are those of the loaded rules. */
export function RuleFilters({ filter, rules, onChange }: Props) {
  const families = [...new Set(rules.map((rule) => rule.family))].sort();
  return (
    <search class="rule-filters">
      <input
        class="input"
        type="search"
        placeholder="Competition, term …"
        aria-label="Search rules"
        value={filter.search}
        onInput={(event) => onChange({ ...filter, search: event.currentTarget.value })}
      />
      <Choice
        label="Family"
        value={filter.family}
        options={families.map((family) => [family, familyName(family)])}
        onChange={(family) => onChange({ ...filter, family })}
      />
      <Choice
        label="State"
        value={filter.state}
        options={ruleStates.map((state) => [state, stateMarks[state].word])}
        onChange={(state) => onChange({ ...filter, state })}
      />
    </search>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly [value: string, name: string][];
  onChange(value: string): void;
};

function Choice({ label, value, options, onChange }: ChoiceProps) {
  // A link may name a value that no rule has. It stays selected, so that the empty list is
  // explained.
  const known: ChoiceProps['options'] =
    value === '' || options.some(([one]) => one === value) ? options : [[value, value], ...options];
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{`${label}: all`}</option>
      {known.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}
