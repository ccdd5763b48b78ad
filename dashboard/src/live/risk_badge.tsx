import { Icon } from '../components/icon.tsx';
import './risks.css';
import type { RiskMark } from './labels.ts';

/** A mark by its icon and words; how many risks there are never depends on hovering. */
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
