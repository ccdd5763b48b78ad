import { Icon } from '../components/icon.tsx';
import './risks.css';
import type { RiskMark } from './labels.ts';

/** The risks of a market as icon and text. The number of risks is visible without hovering. */
export function RiskBadge({ mark }: { mark: RiskMark }) {
  return (
    <span class={`state ${mark.kind}`} title={mark.why}>
      <Icon name={mark.icon} />
      <span class="mark-words">
        <span>{mark.word}</span>
        {mark.risks && <span class="mark-dot"> · </span>}
        {mark.risks && <span class="mark-risks">{mark.risks}</span>}
      </span>
    </span>
  );
}
