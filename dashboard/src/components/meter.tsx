import { count } from './format.ts';

/** How much of an allowance is used: a bar for the eye, exact numbers for the rest. Near at 80 %, full at 100 %. */
export function Meter({ label, used, quota }: { label: string; used: number; quota: number }) {
  const share = quota > 0 ? Math.min(1, used / quota) : 0;
  const level = share >= 1 ? 'is-full' : share >= 0.8 ? 'is-near' : '';
  return (
    <div class={`meter ${level}`}>
      {/* The browser's own meter is heard; it cannot be drawn alike everywhere. */}
      <meter class="unseen" aria-label={label} min={0} max={quota} value={Math.min(used, quota)}>
        {count(used)} of {count(quota)} used
      </meter>
      <div class="track" aria-hidden="true">
        <div class="fill" style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
}
