import { CopyableText } from '../components/copyable_text.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { OldData } from '../components/old_data.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { ScrollTable } from '../components/scroll_table.tsx';
import { useQuery } from '../components/use_query.ts';
import { useMember } from '../session/session.tsx';
import { useRpc } from '../session/use_rpc.ts';
import { KeyDaysCard } from './key_days_card.tsx';
import { byAllowance, streamOf, type Tier, titled } from './tiers.ts';
import { UsageMeters } from './usage_meters.tsx';
import { useUsage } from './use_usage.ts';
import './usage.css';

/** Answers: how much of the quota is left, which key used it, and what do other plans include? */
export function UsagePage() {
  const { organization } = useMember();
  const reading = useUsage();
  const { value: usage, error, refetch } = reading;
  return (
    <>
      <PageHead title="Usage">Requests of all keys of {organization.name} together.</PageHead>
      <div class="stack">
        {organization.status === 'inactive' && (
          <p class="notice" role="status">
            <Icon name="warning" />
            The plan is inactive. Every request fails with 402 until the plan is active again.
          </p>
        )}
        <OldData reading={reading} />
        <section class="card usage-panel" aria-label="Usage of the current window and month">
          <div class="card-body">
            {usage ? <UsageMeters usage={usage} /> : error && <Problem error={error} onRetry={() => void refetch()} />}
          </div>
        </section>
        <p class="muted small">
          A rate-limit window starts with the first request after the previous window and lasts 60 seconds. Only
          responses with data count against the month; rejected and invalid requests do not.
        </p>
        <Plans now={usage?.tier ?? organization.tier} name={organization.name} />
        <KeyDaysCard />
      </div>
    </>
  );
}

function Plans({ now, name }: { now: string; name: string }) {
  const { rows } = useRpc();
  const { value: tiers, error } = useQuery(() => rows<Tier>('tiers'), []);
  return (
    <section class="card" aria-labelledby="plan">
      <div class="card-head">
        <h2 id="plan">Your plan: {titled(now)}</h2>
      </div>
      <ScrollTable label="Tiers and their limits" kind="plans">
        {error && !tiers ? (
          <Problem error={error} />
        ) : (
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Tier</th>
                <th scope="col" class="number">
                  Requests per 60 s
                </th>
                <th scope="col" class="number">
                  Requests per month
                </th>
                <th scope="col">Stream</th>
                <th scope="col" class="number">
                  Connections
                </th>
                <th scope="col" class="number">
                  Webhooks
                </th>
              </tr>
            </thead>
            <tbody>
              {(tiers ? [...tiers].sort(byAllowance) : waiting).map((one) => (
                <tr key={one.tier} class={one.tier === now ? 'plan-now' : ''} aria-current={one.tier === now}>
                  <th scope="row">
                    {titled(one.tier)}
                    {one.tier === now && <span class="muted"> · current</span>}
                  </th>
                  <td class="number">{tiers ? count(one.window_requests) : '…'}</td>
                  <td class="number">{tiers ? count(one.month_requests) : '…'}</td>
                  <td>{streamOf[one.tier] ?? ''}</td>
                  <td class="number">{tiers ? count(one.stream_connections) : '…'}</td>
                  <td class="number">{tiers ? count(one.webhook_endpoints) : '…'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </ScrollTable>
      <div class="card-body">
        <p class="muted small">
          The operator of this installation changes plans with this command. <code>docs/billing.md</code> describes how
          to connect a billing system.
        </p>
        <CopyableText text={`npm run plan -- --org ${quoted(name)} --tier pro --status active`} />
      </div>
    </section>
  );
}

/** Placeholder rows while the tiers load, so that the table keeps its height. */
const waiting: Tier[] = Object.keys(streamOf).map((tier) => ({
  tier,
  window_requests: 0,
  month_requests: 0,
  stream_connections: 0,
  webhook_endpoints: 0,
}));

/** Quotes text as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
