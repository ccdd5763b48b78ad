import { axisTicks, placeOf } from './axis.ts';

/** The titles of the columns and the scale of the pictures. Each row repeats its values as text. */
export function AxisHead() {
  return (
    <div class="rule-heads" aria-hidden="true">
      <span>Rule</span>
      <span>Occasions</span>
      <span>State</span>
      <div class="scale">
        At most this share diverges
        {axisTicks.map((tick) => (
          <span key={tick} style={{ left: `${placeOf(tick)}%` }}>
            {tick} %
          </span>
        ))}
      </div>
    </div>
  );
}
