import { FlashingValue } from '../components/flashing_value.tsx';
import { count, instant, percent, relative } from '../components/format.ts';
import { Meter } from '../components/meter.tsx';
import { useNow } from '../components/now.ts';
import type { Usage } from './types.ts';

/**
 * Requests of the rate-limit window and of the month. A window that ended since the last read
 * counts as empty.
 */
export function UsageMeters({ usage }: { usage: Usage }) {
  const now = useNow();
  const runs = usage.window_ends_at !== null && instant(usage.window_ends_at) > now;
  const used = runs ? usage.window_used : 0;
  return (
    <div class="meters">
      <One
        title="Current 60 s window"
        label="Requests in the current 60 s window"
        used={used}
        quota={usage.window_quota}
        words={
          runs && usage.window_ends_at ? (
            <>
              Resets <When at={usage.window_ends_at} now={now} />
            </>
          ) : (
            'Starts with the next request'
          )
        }
      />
      <One
        title="This month"
        label="Requests this month"
        used={usage.month_used}
        quota={usage.month_quota}
        words={
          <>
            Resets <When at={usage.month_ends_at} now={now} />
          </>
        }
      />
    </div>
  );
}

function When({ at, now }: { at: string; now: number }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus shows the exact time.
    <time dateTime={new Date(instant(at)).toISOString()} tabIndex={0}>
      {relative(instant(at), now)}
    </time>
  );
}

type OneProps = { title: string; label: string; used: number; quota: number; words: preact.ComponentChildren };

function One({ title, label, used, quota, words }: OneProps) {
  return (
    <div class="one">
      <h3>{title}</h3>
      <p class="figures">
        <strong>
          <FlashingValue text={count(used)} />
        </strong>{' '}
        of {count(quota)} requests
      </p>
      <Meter label={label} used={used} quota={quota} />
      <p class="muted small meter-foot">
        <span>{words}</span>
        <span>{percent(quota > 0 ? used / quota : 0)} used</span>
      </p>
    </div>
  );
}
