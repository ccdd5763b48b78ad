import { useMemo } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { type Address, go, useAddress } from '../router.ts';
import './record.css';
import { AxisHead } from './axis_head.tsx';
import { BacktestProgress } from './backtest_progress.tsx';
import { NO_RULE_FILTER, type RuleFilter, type RuleRecord, selectedRules } from './rule.ts';
import { RuleFilters } from './rule_filters.tsx';
import { RuleRow } from './rule_row.tsx';
import { RuleSummary } from './rule_summary.tsx';
import { useRules } from './use_rules.ts';

/** Answers: under which rules did both venues always pay the same, and how certain is that? */
export function RecordPage() {
  const { value, error, refetch } = useRules();
  return (
    <div class="record">
      <PageHead title="Record">
        How often have both venues paid the same under each resolution rule? A rule whose divergence rate may exceed the
        limit has no opportunities.
      </PageHead>
      {value ? (
        <>
          {error && (
            <p class="problem" role="status">
              {error.message} The figures below are from the last successful read.
            </p>
          )}
          <Rules record={value} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="stack" aria-busy="true">
          <div class="card wait" />
          <div class="card wait tall" />
        </div>
      )}
    </div>
  );
}

function Rules({ record }: { record: RuleRecord }) {
  const { rules, backtest } = record;
  const { query } = useAddress();
  const filter = filterOf(query);
  const opened = query.get('rule') ?? '';
  const choose = (next: RuleFilter) => go(addressOf(next, opened), true);
  const toggle = (id: string) => go(addressOf(filter, id === opened ? '' : id), true);
  const selected = selectedRules(rules, filter);
  const competitions = useMemo(() => new Map(rules.map((rule) => [rule.rule_id, rule.competition])), [rules]);
  // A link to a rule lists it also when the filters exclude it.
  const linked = rules.filter((rule) => rule.rule_id === opened && !selected.includes(rule));
  return (
    <div class="stack">
      <section class="card" aria-label="Summary">
        <div class="card-body">
          <RuleSummary rules={rules} />
          <BacktestProgress backtest={backtest} />
        </div>
      </section>
      {rules.length === 0 ? (
        <NoRules isRunning={backtest.scopes > 0 && backtest.finished_at === null} />
      ) : (
        <>
          <RuleFilters filter={filter} rules={rules} onChange={choose} />
          <p class="muted small" role="status">
            {selected.length === rules.length ? `${rules.length} rules` : `${selected.length} of ${rules.length} rules`}
            , by competition and family
          </p>
          {selected.length + linked.length === 0 ? (
            <NoneSelected onClear={() => choose(NO_RULE_FILTER)} />
          ) : (
            <div class="card rules-table">
              <AxisHead />
              <ul class="rule-rows">
                {[...linked, ...selected].map((rule) => (
                  <RuleRow
                    key={rule.rule_id}
                    rule={rule}
                    limits={record}
                    isOpen={rule.rule_id === opened}
                    competitionOf={(id) => competitions.get(id) ?? undefined}
                    onToggle={() => toggle(rule.rule_id)}
                  />
                ))}
              </ul>
            </div>
          )}
        </>
      )}
    </div>
  );
}

function NoRules({ isRunning }: { isRunning: boolean }) {
  return (
    <EmptyState icon="record" title="No rules yet">
      {isRunning
        ? 'The backtest reads the settled history of both venues. The first rules appear when a competition is done.'
        : 'A rule appears here with the first pair of its kind that both venues list.'}
    </EmptyState>
  );
}

function NoneSelected({ onClear }: { onClear(): void }) {
  return (
    <EmptyState
      icon="search"
      title="No rule matches these filters"
      action={
        <button type="button" class="button" onClick={onClear}>
          Clear filters
        </button>
      }
    />
  );
}

function filterOf(query: Address['query']): RuleFilter {
  return {
    search: query.get('search') ?? '',
    family: query.get('family') ?? '',
    state: query.get('state') ?? '',
  };
}

/** The address of this page with the filters and the open rule, so that the link can be shared. */
function addressOf(filter: RuleFilter, rule: string): string {
  const query = new URLSearchParams(Object.entries({ ...filter, rule }).filter(([, value]) => value !== ''));
  return query.size > 0 ? `/record?${query}` : '/record';
}
