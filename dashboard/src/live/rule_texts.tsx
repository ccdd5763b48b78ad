import { useMemo, useState } from 'preact/hooks';
import { markDifferingWords, type TextPart, visibleText } from '../record/venue_text.ts';
import type { MarketDetail } from './frames.ts';

type Settlement = NonNullable<MarketDetail['settlement']>;

/** The rule texts of both venues; words that only one of them has are marked. */
export function RuleTexts({ settlement: { venue_a_text, venue_b_text } }: { settlement: Settlement }) {
  const [isMarked, setMarked] = useState(true);
  const [a, b] = useMemo(() => partsOf(venue_a_text, venue_b_text), [venue_a_text, venue_b_text]);
  const both = venue_a_text !== null && venue_b_text !== null;
  return (
    <>
      {both && (
        <label class="mark-choice small">
          <input type="checkbox" checked={isMarked} onChange={(event) => setMarked(event.currentTarget.checked)} />
          Mark the words that only one of the texts has
        </label>
      )}
      <div class="rules">
        <RuleText venue="venue_a" parts={a} isMarked={both && isMarked} />
        <RuleText venue="venue_b" parts={b} isMarked={both && isMarked} />
      </div>
    </>
  );
}

function partsOf(a: string | null, b: string | null): [a: TextPart[] | null, b: TextPart[] | null] {
  const [visibleA, visibleB] = [visibleText(a ?? ''), visibleText(b ?? '')];
  return [a ? markDifferingWords(visibleA, visibleB) : null, b ? markDifferingWords(visibleB, visibleA) : null];
}

/** The rule text of a venue. It is untrusted, so it is rendered as text nodes. */
function RuleText({
  venue,
  parts,
  isMarked,
}: {
  venue: 'venue_a' | 'venue_b';
  parts: readonly TextPart[] | null;
  isMarked: boolean;
}) {
  return (
    <details class="rule" open>
      <summary>
        <span class={`swatch ${venue}`} aria-hidden="true" />
        Rules of {venue}
      </summary>
      {parts ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
        <p class="untrusted" dir="auto" tabIndex={0}>
          {parts.map((part, at) => (isMarked && part.differs ? <mark key={`${at}`}>{part.text}</mark> : part.text))}
        </p>
      ) : (
        <p class="muted">Not available yet.</p>
      )}
    </details>
  );
}
