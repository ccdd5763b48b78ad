import { useState } from 'preact/hooks';
import { showToast } from '../components/toast.tsx';
import { RpcError } from '../session/rpc_error.ts';
import { useMutation } from '../session/use_mutation.ts';
import { DecisionDialog } from './decision_dialog.tsx';
import { LeagueFields } from './league_fields.tsx';
import { type Decision, type DecisionResult, type Entry, outcomeText, titleOf, unitsOf } from './review.ts';
import { cutText } from './untrusted_text.tsx';
import type { Changes, ReviewClient } from './use_reviews.ts';

const MAX_NOTE = 2000;

type Props = {
  entry: Entry;
  client: ReviewClient;
  onReadAgain(): Promise<void>;
  onDecided(): Promise<void>;
};

/** What a confirmation does, the note, and the decisions. Each but a postponement asks again. */
export function DecisionCard({ entry, client, onReadAgain, onDecided }: Props) {
  const [note, setNote] = useState('');
  const [changes, setChanges] = useState<Changes>({});
  const [asking, setAsking] = useState<Exclude<Decision, 'postpone'>>();
  const { busy, errorText, run } = useMutation();
  const [isChanged, setChanged] = useState(false);
  const decide = async (decision: Decision) => {
    const result = await client.decide(entry, decision, decision === 'confirm' ? changesOf(entry, changes) : {}, note);
    showToast(resultText(entry, decision, result));
    setAsking(undefined);
    setNote('');
    setChanges({});
    await onDecided();
  };
  const postpone = async () => {
    setChanged(false);
    try {
      await decide('postpone');
    } catch (error) {
      setChanged(error instanceof RpcError && error.code === 'review.changed');
      throw error;
    }
  };
  const problem = problemOf(entry, changes);
  return (
    <section class="card" aria-labelledby="review-decision">
      <div class="card-head">
        <h3 id="review-decision">Decision</h3>
      </div>
      <div class="card-body">
        {entry.state !== 'confirmed' && (
          <>
            {entry.kind === 'league' && entry.definition && (
              <LeagueFields entry={entry} changes={changes} onChange={setChanges} />
            )}
            {problem ? (
              <p class="review-problem">
                It cannot be confirmed: {entry.sentences[problem] ?? problem} <code>{problem}</code>
              </p>
            ) : (
              <p>
                If you confirm it: <strong>{outcomeText(entry)}</strong>
              </p>
            )}
          </>
        )}
        <label class="field">
          <span>Note</span>
          <textarea
            class="input"
            name="note"
            rows={2}
            maxLength={MAX_NOTE}
            value={note}
            onInput={(event) => setNote(event.currentTarget.value)}
          />
          <small>Optional. It is kept with the decision and your name.</small>
        </label>
        <div class="buttons">
          {entry.state === 'confirmed' ? (
            <button type="button" class="button danger" onClick={() => setAsking('withdraw')}>
              Take back
            </button>
          ) : (
            <>
              <button
                type="button"
                class="button first"
                disabled={problem !== null}
                onClick={() => setAsking('confirm')}
              >
                Confirm
              </button>
              <button type="button" class="button" disabled={busy} onClick={() => void run(postpone)}>
                Postpone for a week
              </button>
              {entry.state !== 'refused' && (
                <button type="button" class="button danger" onClick={() => setAsking('refuse')}>
                  Refuse
                </button>
              )}
            </>
          )}
        </div>
        <p role="alert" class="problem">
          {errorText}
        </p>
        {isChanged && errorText && (
          <p>
            <button
              type="button"
              class="button little"
              onClick={() => {
                setChanged(false);
                void run(onReadAgain);
              }}
            >
              Read again
            </button>{' '}
            <span class="muted small">Your note is kept.</span>
          </p>
        )}
      </div>
      {asking && (
        <DecisionDialog
          entry={entry}
          decision={asking}
          changes={changes}
          onDecide={() => decide(asking)}
          onReadAgain={async () => {
            setAsking(undefined);
            await onReadAgain();
          }}
          onClose={() => setAsking(undefined)}
        />
      )}
    </section>
  );
}

/** Only what differs from the proposal is sent. */
function changesOf({ definition }: Entry, { name, sport }: Changes): Changes {
  return {
    ...(name === undefined || name === definition?.name ? {} : { name }),
    ...(sport === undefined || sport === definition?.sport ? {} : { sport }),
  };
}

/** A problem that the reviewer's own name or sport may solve does not stop a confirmation. */
function problemOf({ problem }: Entry, { name, sport }: Changes): string | null {
  const isSolvable =
    (sport && (problem === 'league.sport_missing' || problem === 'league.unknown_sport')) ||
    (name && ['league.invalid_name', 'league.registered', 'league.id_taken'].includes(problem ?? ''));
  return isSolvable ? null : problem;
}

function resultText(entry: Entry, decision: Decision, { candidates_again }: DecisionResult): string {
  const title = cutText(titleOf(entry), 60);
  const texts: { [Made in Decision]: string } = {
    confirm: `${title} is confirmed.`,
    refuse: `${title} is refused.`,
    postpone: `${title} is postponed for a week.`,
    withdraw: `${title} is taken back. ${unitsOf(entry.kind, candidates_again)} ${candidates_again === 1 ? 'is a candidate' : 'are candidates'} again.`,
  };
  return texts[decision];
}
