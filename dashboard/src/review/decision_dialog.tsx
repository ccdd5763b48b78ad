import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { RpcError } from '../session/rpc_error.ts';
import { useMutation } from '../session/use_mutation.ts';
import { type Decision, type Entry, outcomeText, titleOf, unitsOf } from './review.ts';
import { cutText, UntrustedText } from './untrusted_text.tsx';
import type { Changes } from './use_reviews.ts';

type Asked = Exclude<Decision, 'postpone'>;
type Props = {
  entry: Entry;
  decision: Asked;
  changes: Changes;
  onDecide(): Promise<void>;
  onReadAgain(): Promise<void>;
  onClose(): void;
};

const words: { [Made in Asked]: { button: string; busy: string; kind: string } } = {
  confirm: { button: 'Confirm', busy: 'Confirming…', kind: 'first' },
  refuse: { button: 'Refuse', busy: 'Refusing…', kind: 'danger' },
  withdraw: { button: 'Take back', busy: 'Taking back…', kind: 'danger' },
};

/** States what a decision does, and asks again. */
export function DecisionDialog({ entry, decision, changes, onDecide, onReadAgain, onClose }: Props) {
  const { busy, errorText, run } = useMutation();
  const [isChanged, setChanged] = useState(false);
  const send = async () => {
    try {
      await onDecide();
    } catch (error) {
      setChanged(error instanceof RpcError && error.code === 'review.changed');
      throw error;
    }
  };
  const { button, busy: working, kind } = words[decision];
  return (
    <Dialog
      title={`${button}: ${cutText(titleOf(entry), 80)}?`}
      onClose={onClose}
      onSubmit={() => void (isChanged ? onReadAgain() : run(send))}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          {isChanged ? (
            <button type="submit" class="button first">
              Read again
            </button>
          ) : (
            <button type="submit" class={`button ${kind}`} disabled={busy}>
              {busy ? working : button}
            </button>
          )}
        </>
      }
    >
      <Consequence entry={entry} decision={decision} changes={changes} />
      <p role="alert" class="problem">
        {errorText}
        {isChanged && ' Your note is kept.'}
      </p>
    </Dialog>
  );
}

function Consequence({ entry, decision, changes }: Pick<Props, 'entry' | 'decision' | 'changes'>) {
  const { kind, pairs, published, definition } = entry;
  if (decision === 'confirm') {
    return (
      <>
        <p>
          <strong>{outcomeText(entry)}</strong>
        </p>
        {kind === 'league' && definition && !definition.extends && (
          <p>
            The league is named <UntrustedText text={changes.name ?? definition.name} max={100} />, its sport is{' '}
            <UntrustedText text={changes.sport ?? definition.sport} max={60} />.
          </p>
        )}
        <p>
          {kind === 'league' &&
            'Its listings are read again first. A game whose texts then differ stays a candidate. New games of it are published without a review. '}
          You can take it back at any time.
        </p>
      </>
    );
  }
  if (decision === 'refuse') {
    return (
      <p>
        {kind === 'names'
          ? 'The names are not proposed again.'
          : `${unitsOf(kind, pairs.length)} ${pairs.length === 1 ? 'is no candidate' : 'are no candidates'} any more from the next pass on, and new ones are not proposed.`}{' '}
        You can still confirm it later.
      </p>
    );
  }
  return (
    <p>
      {kind === 'names' ? (
        'The published markets that were found by these names become candidates again at once.'
      ) : (
        <>
          <strong>
            {unitsOf(kind, published ?? 0)} {published === 1 ? 'becomes a candidate' : 'become candidates'} again at
            once.
          </strong>{' '}
          A candidate is never an opportunity.
        </>
      )}
    </p>
  );
}
