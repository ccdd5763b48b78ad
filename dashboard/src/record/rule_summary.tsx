import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { type Rule, ruleStates, stateMarks } from './rule.ts';

/** How many rules there are in each state. States without a rule are left out. */
export function RuleSummary({ rules }: { rules: readonly Rule[] }) {
  const states = ruleStates
    .map((state) => ({ state, many: rules.filter((rule) => rule.state === state).length }))
    .filter(({ state, many }) => many > 0 || state === 'confirmed' || state === 'withdrawn');
  return (
    <p class="rule-summary">
      <strong>{rules.length === 1 ? '1 rule' : `${count(rules.length)} rules`}</strong>
      {states.map(({ state, many }) => {
        const { icon, kind, word } = stateMarks[state];
        return (
          <span key={state} class={`state ${many > 0 ? kind : 'is-waiting'}`}>
            <Icon name={icon} />
            {count(many)} {word.toLowerCase()}
          </span>
        );
      })}
    </p>
  );
}
