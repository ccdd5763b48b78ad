import { count, percent } from '../components/format.ts';
import { Meter } from '../components/meter.tsx';
import { useQuery } from '../components/use_query.ts';
import { type FunctionUse, killsOf, readLimits } from './limits.ts';

/** Usage of the platform limits by each Edge Function. Empty where the host does not measure it. */
export function FunctionsCard() {
  const { value } = useQuery(readLimits, [], 3_000);
  if (!value) return null;
  return (
    <section class="card" aria-labelledby="functions">
      <div class="card-head">
        <h2 id="functions">Edge Functions</h2>
        <p class="muted small">The highest use of each limit by one call.</p>
      </div>
      <div class="card-body functions">
        {value.map((use) => (
          <One key={use.function} use={use} />
        ))}
      </div>
    </section>
  );
}

function One({ use }: { use: FunctionUse }) {
  const { limits } = use;
  const killed = killsOf(use);
  return (
    <article class="function" aria-label={use.function}>
      <header>
        <h3>{use.function}</h3>
        <p class="muted small">
          {count(use.calls)} {use.calls === 1 ? 'call' : 'calls'}
          {killed && <strong class="killed"> · killed: {killed}</strong>}
        </p>
      </header>
      <div class="shares">
        <Share name="CPU" of={use.function} used={use.cpu_ms} limit={limits.cpu_ms} unit="ms" />
        <Share name="Memory" of={use.function} used={use.memory_mb} limit={limits.memory_mb} unit="MB" />
        <Share name="Wall clock" of={use.function} used={use.wall_s} limit={limits.wall_s} unit="s" />
      </div>
    </article>
  );
}

type ShareProps = { name: string; of: string; used: FunctionUse['cpu_ms']; limit: number; unit: string };

function Share({ name, of, used, limit, unit }: ShareProps) {
  const most = used?.max ?? 0;
  const ended = used !== null && used.p50 !== null;
  const exact = ended ? `Median ${used.p50} ${unit}, p99 ${used.p99} ${unit}` : 'No call has ended yet';
  return (
    <div class="share" title={exact}>
      <p class="meter-foot small">
        <span>{name}</span>
        <span>{percent(most / limit)}</span>
      </p>
      <Meter label={`${name} of ${of}, ${unit}`} used={most} quota={limit} />
      <p class="muted small">
        {count(Math.round(most))} of {count(limit)} {unit}
      </p>
    </div>
  );
}
