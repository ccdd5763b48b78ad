import { UsageMeters } from './usage_meters.tsx';
import { useUsage } from './use_usage.ts';
import './usage.css';

/** The usage meters above the key list. */
export function UsageSummary() {
  const { value: usage, error } = useUsage();
  return (
    <section class="card usage-panel" aria-label="Usage">
      <div class="card-body">
        {usage ? <UsageMeters usage={usage} /> : error ? <p class="problem">{error.message}</p> : null}
      </div>
    </section>
  );
}
