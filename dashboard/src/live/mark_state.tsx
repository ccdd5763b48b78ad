import { Icon } from '../components/icon.tsx';
import './risks.css';
import type { Mark } from './words.ts';

/** A mark by its icon and words; how many risks there are never depends on hovering. */
export function MarkState({ mark }: { mark: Mark }) {
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
