import { useEffect, useRef, useState } from 'preact/hooks';
import { Ago } from '../components/ago.tsx';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { RpcError } from '../session/rpc_error.ts';
import { DecisionCard } from './decision_card.tsx';
import { History } from './history.tsx';
import { NamesTable } from './names_table.tsx';
import { PairList } from './pair_list.tsx';
import { type Entry, entryText, kindNames, recordText, stateMarks, titleOf, unitsOf } from './review.ts';
import { UntrustedText } from './untrusted_text.tsx';
import type { ReviewClient } from './use_reviews.ts';

const CHECK_MS = 15_000;

type Props = {
  subject: string;
  client: ReviewClient;
  /** The address of the list. */
  back: string;
  onDecided(): Promise<void>;
};

/**
 * One subject of the queue. The evidence stays as it was read until the reviewer reads it again, so
 * that a decision is about what the reviewer saw.
 */
export function ReviewEntry({ subject, client, back, onDecided }: Props) {
  const reading = useQuery(() => client.read(subject), [client, subject], CHECK_MS);
  const latest = reading.value;
  const held = useRef<Entry | undefined>(undefined);
  const isAsked = useRef(false);
  const takeLatest = () => {
    held.current = latest;
    isAsked.current = false;
  };
  if (latest && latest !== held.current && (isAsked.current || isSameCase(latest, held.current))) takeLatest();
  const seen = held.current;
  const [, draw] = useState(0);
  const readAgain = async () => {
    isAsked.current = true;
    await reading.refetch();
  };
  const decided = async () => {
    await Promise.all([readAgain(), onDecided()]);
  };
  const { error } = reading;
  const isGone = error instanceof RpcError && error.code === 'review.not_found';
  return (
    <article class="stack">
      <a class="button little review-back" href={back}>
        <Icon name="down" />
        All entries
      </a>
      {isGone ? (
        <Gone subject={subject} />
      ) : seen ? (
        <>
          {error && (
            <p class="problem small" role="status">
              {error.message} Below is what was read last.
            </p>
          )}
          {latest && latest.digest !== seen.digest && (
            <Changed
              onRead={() => {
                takeLatest();
                draw((times) => times + 1);
              }}
            />
          )}
          <Opened entry={seen} client={client} onReadAgain={readAgain} onDecided={decided} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void reading.refetch()} />
      ) : (
        <div class="card wait review-wait" aria-busy="true" />
      )}
    </article>
  );
}

/** What is confirmed and waits for its pass changes without a reviewer. */
function isSameCase(latest: Entry, seen: Entry | undefined): boolean {
  return !seen || latest.digest === seen.digest || (latest.state === 'confirmed' && seen.state === 'confirmed');
}

type OpenedProps = {
  entry: Entry;
  client: ReviewClient;
  onReadAgain(): Promise<void>;
  onDecided(): Promise<void>;
};

function Opened({ entry, client, onReadAgain, onDecided }: OpenedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The link or the button that had the focus is gone: a narrow window hides the list, and a
  // decision has other buttons.
  useEffect(() => heading.current?.focus(), [entry.state]);
  const mark = stateMarks[entry.state];
  return (
    <>
      <header class="review-head">
        <p class="muted small">{kindNames[entry.kind]}</p>
        <h2 ref={heading} tabIndex={-1}>
          <UntrustedText text={titleOf(entry)} max={120} />
        </h2>
        <p class="review-sentence">
          <UntrustedText text={entryText(entry)} />
        </p>
        <p class="small review-state">
          <span class={`state ${mark.kind}`}>
            <Icon name={mark.icon} />
            {mark.word}
          </span>
          <StateDetail entry={entry} />
        </p>
        <p class="mono muted small">
          <UntrustedText text={entry.subject} />
        </p>
      </header>
      <DecisionCard entry={entry} client={client} onReadAgain={onReadAgain} onDecided={onDecided} />
      <section class="card" aria-labelledby="review-record">
        <div class="card-body">
          <h3 id="review-record">How similar decisions turned out</h3>
          <p>{recordText(entry)}</p>
        </div>
      </section>
      {entry.names.length > 0 && <NamesTable entry={entry} />}
      {entry.pairs.length > 0 && <PairList entry={entry} />}
      <History decisions={entry.decisions} />
    </>
  );
}

function StateDetail({ entry }: { entry: Entry }) {
  const { state, decided_at, decided_by, postponed_until, published, kind, ignored, sentences } = entry;
  if (state === 'open') return <span class="muted">There is no decision about it yet.</span>;
  return (
    <span class="muted">
      <Ago at={decided_at} />
      {decided_by && (
        <>
          {' '}
          by <UntrustedText text={decided_by} max={80} />
        </>
      )}
      .
      {postponed_until && state === 'postponed' && (
        <>
          {' '}
          It is open again <Ago at={postponed_until} />.
        </>
      )}
      {state === 'confirmed' && published !== null && ` ${unitsOf(kind, published)} published.`}
      {ignored && (
        <>
          {' '}
          The parsers do not apply it: {sentences[ignored] ?? ignored} <code>{ignored}</code>
        </>
      )}
    </span>
  );
}

function Changed({ onRead }: { onRead(): void }) {
  return (
    <div class="review-changed" role="status">
      <Icon name="warning" />
      <p>Another person decided, or the evidence changed. Below is what you read before.</p>
      <button type="button" class="button little" onClick={onRead}>
        Show what is true now
      </button>
    </div>
  );
}

function Gone({ subject }: { subject: string }) {
  return (
    <div class="card">
      <EmptyState icon="review" title="Nothing is proposed about this any more">
        The venues no longer list <UntrustedText text={subject} max={80} />, or it was decided elsewhere.
      </EmptyState>
    </div>
  );
}
