import { Dialog } from '../components/dialog.tsx';
import { count } from '../components/format.ts';
import {
  byFrequency,
  type Codes,
  type Coverage,
  eventsIn,
  type Series,
  seriesContext,
  seriesName,
  shareText,
  states,
  volumeSentence,
} from './coverage.ts';
import { StateBar } from './state_bar.tsx';

type Props = { row: Series; reasons: Coverage['reasons']; onClose(): void };

/** A series with the states of its events and every code with its sentence. */
export function SeriesDialog({ row, reasons, onClose }: Props) {
  return (
    <Dialog
      title={seriesName(row)}
      onClose={onClose}
      foot={
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
      }
    >
      <div class="series-open">
        <p class={`context ${row.venue}`}>
          <span class="swatch" aria-hidden="true" />
          {seriesContext(row)}
        </p>
        <StateBar counts={row} />
        <States row={row} />
        <CodeList title="Why events are unpaired" codes={row.unpaired} reasons={reasons} />
        <CodeList title="Why events are unread" codes={row.unread} reasons={reasons} />
        <section>
          <h3>Volume</h3>
          <p>{volumeSentence(row)}</p>
        </section>
      </div>
    </Dialog>
  );
}

function States({ row }: { row: Series }) {
  return (
    <dl class="open-states">
      {states.map(({ state, name }) => {
        const many = eventsIn(row, state);
        return (
          <div key={state}>
            <dt>
              <span class={`state-part is-key ${state}`} aria-hidden="true" />
              {name}
            </dt>
            <dd>
              <b>{count(many)}</b> of {count(row.events)} <span class="muted">{shareText(many, row.events)}</span>
              {state === 'candidate' && row.waiting > 0 && (
                <span class="waits">
                  {count(row.waiting)} {row.waiting === 1 ? 'waits' : 'wait'} for a review
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function CodeList({ title, codes, reasons }: { title: string; codes: Codes; reasons: Coverage['reasons'] }) {
  const sorted = byFrequency(codes);
  if (sorted.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl class="codes">
        {sorted.map(([code, many]) => (
          <div key={code}>
            <dt class="mono">{code}</dt>
            <dd class="number">{count(many)}</dd>
            <dd class="sentence">{reasons[code]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
