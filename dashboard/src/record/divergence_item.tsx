import { useState } from 'preact/hooks';
import { day, dollars, exactDollars, exactUtc, NO_VALUE } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import type { Divergence, DivergentSide } from './rule.ts';
import { markDifferingWords, visibleText } from './venue_text.ts';

const sources = { live: 'seen live', backtest: 'from the settled history' } as const;

/** One market on which the venues paid differently: both payouts, and both texts side by side. */
export function DivergenceItem({ divergence, startsOpen }: { divergence: Divergence; startsOpen: boolean }) {
  const [isOpen, setOpen] = useState(startsOpen);
  const { venue_a, venue_b, settled_at, source, occasion } = divergence;
  return (
    <li class="divergence">
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong dir="auto">{visibleText(venue_a.title ?? venue_b.title ?? occasion)}</strong>
          <span class="muted small" title={settled_at ? exactUtc(settled_at) : undefined}>
            {settled_at ? `settled ${day(settled_at)}` : 'time of settlement unknown'}, {sources[source]}
          </span>
        </summary>
        {isOpen && (
          <div class="evidence">
            <Payouts divergence={divergence} />
            <div class="sides">
              <Side venue="venue_a" side={venue_a} other={venue_b} />
              <Side venue="venue_b" side={venue_b} other={venue_a} />
            </div>
          </div>
        )}
      </details>
    </li>
  );
}

/** What a contract on each outcome paid on both venues. */
function Payouts({ divergence: { venue_a, venue_b } }: { divergence: Divergence }) {
  const outcomes = [...new Set([...venue_a.paid, ...venue_b.paid].map((paid) => paid.outcome))];
  const paidOn = (side: DivergentSide, outcome: string) =>
    side.paid.find((paid) => paid.outcome === outcome)?.usd ?? null;
  return (
    <table class="table payouts">
      <caption class="visually-hidden">What one contract paid</caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          {(['venue_a', 'venue_b'] as const).map((venue) => (
            <th key={venue} scope="col" class="number">
              <span class={`swatch ${venue}`} aria-hidden="true" /> {venue} paid
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {outcomes.map((outcome) => {
          const [a, b] = [paidOn(venue_a, outcome), paidOn(venue_b, outcome)];
          return (
            <tr key={outcome}>
              <th scope="row">
                <span dir="auto">{visibleText(outcome)}</span>
                {a !== b && (
                  <span class="state small is-down">
                    <Icon name="warning" />
                    differs
                  </span>
                )}
              </th>
              <td class="number" title={exactDollars(a)}>
                {dollars(a)}
              </td>
              <td class="number" title={exactDollars(b)}>
                {dollars(b)}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The listing of a venue. Title and text are untrusted, so they are rendered as text nodes. */
function Side({ venue, side, other }: { venue: 'venue_a' | 'venue_b'; side: DivergentSide; other: DivergentSide }) {
  const parts = markDifferingWords(visibleText(side.text ?? ''), visibleText(other.text ?? ''));
  return (
    <div class="side-box">
      <h4>
        <span class={`swatch ${venue}`} aria-hidden="true" /> {venue}
      </h4>
      <p dir="auto">{visibleText(side.title ?? NO_VALUE)}</p>
      <p class="mono small muted event">{visibleText(side.event ?? NO_VALUE)}</p>
      {side.text ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard.
        <p class="venue-text" dir="auto" tabIndex={0}>
          {parts.map((part, at) => (part.differs ? <mark key={`${at}`}>{part.text}</mark> : part.text))}
        </p>
      ) : (
        <p class="muted small">The text is not available.</p>
      )}
    </div>
  );
}
