import { axisTicks, placeOf } from './axis.ts';
import { boundText, type Limits, type Rule } from './rule.ts';

const at = (rate: number) => `${placeOf(rate).toFixed(2)}%`;

/**
 * The bound of a rule against the limit: the true rate is somewhere on the bar. A bound within the
 * limit ends in a disc, another one in a diamond on a hatched bar, so colour is not the only sign.
 */
export function BoundPicture({ rule, limits }: { rule: Rule; limits: Limits }) {
  const { bound_pct, pool, agreeing, diverging } = rule;
  const isWithin = bound_pct <= limits.limit_pct;
  const isEmpty = agreeing + diverging === 0;
  return (
    <svg class={`bound ${rule.state}`} role="img" aria-label={descriptionOf(rule, limits)} height="52">
      <line class="axis" x1="0" x2="100%" y1="32" y2="32" />
      {axisTicks.map((tick) => (
        <line key={tick} class="axis" x1={at(tick)} x2={at(tick)} y1="28" y2="36" />
      ))}
      <line class="limit" x1={at(limits.limit_pct)} x2={at(limits.limit_pct)} y1="13" y2="46" />
      <text class="limit-name" x={at(limits.limit_pct)} y="10" text-anchor="middle">
        limit {limits.limit_pct} %
      </text>
      <rect class={isWithin ? 'range' : 'range is-beyond'} x="0" width={at(bound_pct)} y="28" height="8" rx="2" />
      <Mark rate={bound_pct} isWithin={isWithin} label={isEmpty ? 'no occasion' : boundText(bound_pct)} />
      {pool && (
        <Mark
          rate={pool.bound_pct}
          isWithin={pool.bound_pct <= limits.limit_pct}
          label={`pool ${boundText(pool.bound_pct)}`}
          isPool
        />
      )}
    </svg>
  );
}

type MarkProps = { rate: number; isWithin: boolean; label: string; isPool?: boolean };

/**
 * The end of a bar with its value. A value within the limit is on the left of its mark, so that it
 * does not cross the limit line, unless the axis begins there.
 */
function Mark({ rate, isWithin, label, isPool = false }: MarkProps) {
  const place = placeOf(rate);
  const isLeft = isWithin ? place > 30 : place > 66;
  return (
    <svg class={isPool ? 'mark is-pool' : 'mark'} x={at(rate)} y="32" overflow="visible" aria-hidden="true">
      {isWithin ? <circle r="5" /> : <path d="M-6 0 0 -6 6 0 0 6Z" />}
      <text x={isLeft ? -10 : 10} y={isPool ? -9 : 15} text-anchor={isLeft ? 'end' : 'start'}>
        {label}
      </text>
    </svg>
  );
}

function descriptionOf({ bound_pct, pool, agreeing, diverging }: Rule, { limit_pct }: Limits): string {
  if (agreeing + diverging === 0)
    return `No occasion has settled yet, so there is no bound. The limit is ${limit_pct} %.`;
  const against = (bound: number) =>
    `${boundText(bound)}, ${bound <= limit_pct ? 'within' : 'above'} the limit of ${limit_pct} %`;
  const own = `At most ${against(bound_pct)}.`;
  return pool ? `${own} Its pool: at most ${against(pool.bound_pct)}.` : own;
}
