import { useState } from 'preact/hooks';
import { type QueryState, useQuery } from '../components/use_query.ts';
import { useRpc } from '../session/use_rpc.ts';
import type { Rule, RuleRecord, RuleWithDivergences } from './rule.ts';

/** Rules change when a pair settles or the backtest ends a scope. */
const IDLE_INTERVAL_MS = 60_000;
const BACKTEST_INTERVAL_MS = 5_000;
/** 50,000 rules. A loop without an end must not follow from a faulty response. */
const MAX_PAGES = 50;

type Page = RuleRecord & { has_more: boolean };

/** All rules, and the progress of the backtest. Polls faster while a backtest runs. */
export function useRules(): QueryState<RuleRecord> {
  const { call } = useRpc();
  const [isRunning, setRunning] = useState(false);
  const read = async (): Promise<RuleRecord> => {
    const rules: Rule[] = [];
    for (let pages = 1; ; pages++) {
      const page = await call<Page>('list_rules', { p_after: rules.at(-1)?.rule_id ?? null });
      rules.push(...page.rules);
      if (page.has_more && pages < MAX_PAGES) continue;
      const { backtest } = page;
      setRunning(backtest.scopes > 0 && backtest.finished_at === null);
      return { ...page, rules };
    }
  };
  return useQuery(read, [], isRunning ? BACKTEST_INTERVAL_MS : IDLE_INTERVAL_MS);
}

/** A rule with its pool and its divergences. Reads again when the record of the rule changes. */
export function useRule({ rule_id, agreeing, diverging, state }: Rule): QueryState<RuleWithDivergences> {
  const { call } = useRpc();
  return useQuery(
    () => call<RuleWithDivergences>('read_rule', { p_rule_id: rule_id }),
    [rule_id, agreeing, diverging, state],
  );
}
