import { UsageMeters } from './usage_meters.tsx';
import { useUsage } from './use_usage.ts';
import './usage.css';

/** Beside the keys: how much they have used. */
export function UsageSummary() {
  const { value: usage, error } = useUsage();
  return (
    <section class="card usage-room" aria-label="Usage">
      <div class="card-body">
        {usage ? <UsageMeters usage={usage} /> : error ? <p class="problem">{error.message}</p> : null}
      </div>
    </section>
  );
}
