import { count } from './format.ts';

/** Usage of a quota as a bar. The bar changes colour at 80 % and at 100 %. */
export function Meter({ label, used, quota }: { label: string; used: number; quota: number }) {
  const share = quota > 0 ? Math.min(1, used / quota) : 0;
  const level = share >= 1 ? 'is-full' : share >= 0.8 ? 'is-near' : '';
  return (
    <div class={`meter ${level}`}>
      {/* The native meter is for screen readers; it cannot be styled alike in all browsers. */}
      <meter class="visually-hidden" aria-label={label} min={0} max={quota} value={Math.min(used, quota)}>
        {count(used)} of {count(quota)} used
      </meter>
      <div class="track" aria-hidden="true">
        <div class="fill" style={{ transform: `scaleX(${share})` }} />
      </div>
    </div>
  );
}
