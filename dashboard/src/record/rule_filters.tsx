import { Choice } from '../components/choice.tsx';
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
