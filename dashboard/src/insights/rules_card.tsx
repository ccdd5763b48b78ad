import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import { axisTicks, placeOf } from '../record/axis.ts';
import { boundText, type Rule, type RuleRecord } from '../record/rule.ts';
import { RuleSummary } from '../record/rule_summary.tsx';
import { useRules } from '../record/use_rules.ts';

const HEIGHT = 190;
const BOTTOM = 24;

/** Each rule as a mark: how often it was seen, and its bound against the limit. */
export function RulesCard() {
  const { value, error, refetch } = useRules();
  return (
    <section class="card" aria-labelledby="rules">
      <div class="card-head">
        <h2 id="rules">Rules against their bound</h2>
        <a href="/record">All rules</a>
      </div>
      {value ? (
        value.rules.length === 0 ? (
          <EmptyState icon="record" title="No rule yet">
            A rule has a record from its first pair that both venues have settled.
          </EmptyState>
        ) : (
          <Scatter record={value} />
        )
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait chart-wait" aria-busy="true" />
      )}
    </section>
  );
}

const boundOf = ({ bound_pct, pool }: Rule): number => Math.min(bound_pct, pool?.bound_pct ?? bound_pct);

function Scatter({ record: { rules, limit_pct } }: { record: RuleRecord }) {
  const most = Math.max(10, ...rules.map((rule) => rule.agreeing));
  const seen = (rule: Rule) => (Math.log1p(rule.agreeing) / Math.log1p(most)) * (HEIGHT - BOTTOM - 16);
  const within = rules.filter((rule) => boundOf(rule) <= limit_pct).length;
  return (
    <figure class="card-body rules-plot">
      <svg
        role="img"
        aria-label={`${count(within)} of ${count(rules.length)} rules have a bound within the limit of ${limit_pct} %.`}
        height={HEIGHT}
      >
        <rect class="within" x="0" width={`${placeOf(limit_pct)}%`} y="0" height={HEIGHT - BOTTOM} />
        {axisTicks.map((tick) => (
          <g key={tick}>
            <line class="axis" x1={`${placeOf(tick)}%`} x2={`${placeOf(tick)}%`} y1="0" y2={HEIGHT - BOTTOM} />
            <text x={`${placeOf(tick)}%`} y={HEIGHT - 6} text-anchor={anchorOf(tick)}>
              {tick} %
            </text>
          </g>
        ))}
        <line class="limit" x1={`${placeOf(limit_pct)}%`} x2={`${placeOf(limit_pct)}%`} y1="0" y2={HEIGHT - BOTTOM} />
        {rules.map((rule) => (
          <svg
            key={rule.rule_id}
            x={`${placeOf(boundOf(rule))}%`}
            y={HEIGHT - BOTTOM - 8 - seen(rule)}
            overflow="visible"
            aria-hidden="true"
          >
            <title>{`${rule.family}${rule.competition ? `, ${rule.competition}` : ''}: at most ${boundText(boundOf(rule))}, ${count(rule.agreeing)} agreed, ${count(rule.diverging)} diverged`}</title>
            {boundOf(rule) <= limit_pct ? (
              <circle class="rule-mark" r="4" />
            ) : (
              <path class="rule-mark is-beyond" d="M-5 0 0 -5 5 0 0 5Z" />
            )}
          </svg>
        ))}
      </svg>
      <figcaption class="small muted">
        Across: the bound of the rate at which the venues pay differently. Up: occasions that agreed. A disc is within
        the limit of {limit_pct} %, a diamond is not.
      </figcaption>
      <RuleSummary rules={rules} />
    </figure>
  );
}

const anchorOf = (tick: number): 'start' | 'middle' | 'end' =>
  tick === axisTicks[0] ? 'start' : tick === axisTicks.at(-1) ? 'end' : 'middle';
