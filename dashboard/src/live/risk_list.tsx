import { Icon } from '../components/icon.tsx';
import { codeText } from './reason_text.ts';
import './risks.css';
import type { Risk } from './frames.ts';
import { severityMark, worstFirst } from './labels.ts';

/** The settlement risks, worst first, each with its cost. */
export function RiskList({ risks }: { risks: readonly Risk[] }) {
  return (
    <ul class="risks">
      {worstFirst(risks).map((risk) => {
        const mark = severityMark(risk.severity);
        return (
          <li key={risk.event}>
            <p class={`state ${mark.kind}`}>
              <Icon name={mark.icon} />
              {mark.word}
            </p>
            <div>
              <h3>{codeText(risk.event)}</h3>
              <p>{risk.note}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}
