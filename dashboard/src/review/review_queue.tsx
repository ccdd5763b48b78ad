import { useEffect, useRef } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import {
  evidenceText,
  kindNames,
  type Queue,
  type QueueEntry,
  type ReviewState,
  reviewStates,
  stateMarks,
} from './review.ts';
import { addressOf } from './review_address.ts';
import { cutText, UntrustedText } from './untrusted_text.tsx';

type FilterProps = { counts: Queue['counts'] | undefined; state: ReviewState; onChange(state: ReviewState): void };

/** The states, each with the number of its entries. */
export function StateFilter({ counts, state, onChange }: FilterProps) {
  return (
    <fieldset class="segments review-states">
      <legend class="visually-hidden">State</legend>
      {reviewStates.map((one) => (
        <button key={one} type="button" aria-pressed={one === state} onClick={() => onChange(one)}>
          {stateMarks[one].word} <span class="muted">{counts ? count(counts[one] ?? 0) : ''}</span>
        </button>
      ))}
    </fieldset>
  );
}

/** The entries of one state, grouped by league. */
export function ReviewQueue({ queue, state, subject }: { queue: Queue; state: ReviewState; subject: string }) {
  const { entries, counts } = queue;
  if (entries.length === 0) return <EmptyQueue state={state} />;
  const left = (counts[state] ?? 0) - entries.length;
  return (
    <>
      {groupsOf(entries).map(([name, members]) => (
        <section key={name} class="card review-group" aria-label={cutText(name)}>
          <h2>
            <UntrustedText text={name} max={80} />
          </h2>
          <ul>
            {members.map((entry) => (
              <QueueItem key={entry.subject} entry={entry} state={state} isOpen={entry.subject === subject} />
            ))}
          </ul>
        </section>
      ))}
      {left > 0 && (
        <p class="muted small">
          Only the first {count(entries.length)} are listed, those with the most candidates. {count(left)} more follow
          when these are decided.
        </p>
      )}
    </>
  );
}

function QueueItem({ entry, state, isOpen }: { entry: QueueEntry; state: ReviewState; isOpen: boolean }) {
  const link = useRef<HTMLAnchorElement>(null);
  const wasOpen = useRef(false);
  useEffect(() => {
    // The link back to the list is gone with the entry. The reader continues where they were.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) link.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <li class="review-item">
      <a ref={link} href={addressOf(state, entry.subject)} aria-current={isOpen ? 'true' : undefined}>
        <span class="review-evidence">
          <UntrustedText text={evidenceText(entry)} />
        </span>{' '}
        <span class="muted small">
          {kindNames[entry.kind]} · <UntrustedText text={entry.subject.split(':').slice(1).join(' · ')} max={80} />
        </span>
        {entry.decided_at && (
          <span class="muted small">
            {stateMarks[entry.state].word} <Ago at={entry.decided_at} />
            {entry.decided_by && (
              <>
                {' '}
                by <UntrustedText text={entry.decided_by} max={60} />
              </>
            )}
          </span>
        )}
      </a>
      <Icon name="down" />
    </li>
  );
}

/** In the order of the entries, which is by group. */
function groupsOf(entries: readonly QueueEntry[]): [string, QueueEntry[]][] {
  const groups = new Map<string, QueueEntry[]>();
  for (const entry of entries) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return [...groups];
}

const emptyTexts: { [State in ReviewState]: [title: string, text: string] } = {
  open: [
    'Nothing waits for a decision',
    'An entry appears here when both venues list games of a league, a list of runners or a name that no registry holds.',
  ],
  postponed: ['Nothing is postponed', 'An entry that you postpone waits here for a week. Then it is open again.'],
  confirmed: ['Nothing is confirmed yet', 'What an operator confirmed is listed here, and can be taken back.'],
  refused: ['Nothing is refused', 'What an operator refused is listed here. It is not proposed again.'],
  withdrawn: ['Nothing was taken back', 'A confirmation that an operator took back is listed here.'],
};

function EmptyQueue({ state }: { state: ReviewState }) {
  const [title, text] = emptyTexts[state];
  return (
    <div class="card">
      <EmptyState icon={state === 'open' ? 'check' : 'review'} title={title}>
        {text}
      </EmptyState>
    </div>
  );
}
