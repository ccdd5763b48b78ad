import type { ReviewState } from './review.ts';

/** The address of this page with the state of the list and the open entry. */
export function addressOf(state: ReviewState, subject: string): string {
  const query = new URLSearchParams();
  if (state !== 'open') query.set('state', state);
  if (subject) query.set('subject', subject);
  return query.size > 0 ? `/review?${query}` : '/review';
}
