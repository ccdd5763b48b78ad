import { useMemo } from 'preact/hooks';
import { useRpc } from '../session/use_rpc.ts';
import type { Decision, DecisionResult, Entry, Queue, ReviewState } from './review.ts';

export type Changes = { name?: string; sport?: string };

export type ReviewClient = {
  list(state: ReviewState): Promise<Queue>;
  read(subject: string): Promise<Entry>;
  /** Decides about what the entry showed. Fails with `review.changed` when it has changed. */
  decide(entry: Entry, decision: Decision, changes: Changes, note: string): Promise<DecisionResult>;
};

export function useReviews(): ReviewClient {
  const { call } = useRpc();
  return useMemo(
    () => ({
      list: (state) => call<Queue>('list_reviews', { p_state: state }),
      read: (subject) => call<Entry>('read_review', { p_subject: subject }),
      decide: (entry, decision, changes, note) =>
        call<DecisionResult>('decide_review', {
          p_subject: entry.subject,
          p_decision: decision,
          p_digest: entry.digest,
          p_name: changes.name ?? null,
          p_sport: changes.sport ?? null,
          p_note: note.trim() || null,
        }),
    }),
    [call],
  );
}
