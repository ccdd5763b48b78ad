import { useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { go, useAddress } from '../router.ts';
import { isOperator } from '../session/organizations.ts';
import { RpcError } from '../session/rpc_error.ts';
import { useMember } from '../session/session.tsx';
import './review.css';
import { type Queue, reviewStates } from './review.ts';
import { addressOf } from './review_address.ts';
import { ReviewEntry } from './review_entry.tsx';
import { ReviewQueue, StateFilter } from './review_queue.tsx';
import { useReviews } from './use_reviews.ts';

const REFRESH_MS = 20_000;

/** Answers: what does no registry hold yet, and may it be published? */
export function ReviewPage() {
  const { organizations } = useMember();
  return (
    <div class="review">
      {isOperator(organizations) ? (
        <Review />
      ) : (
        <>
          <PageHead title="Review" />
          <NotOperator />
        </>
      )}
    </div>
  );
}

function NotOperator() {
  return (
    <EmptyState icon="review" title="Only operators review the catalog">
      You are no member of an operators' organization. An operator of this service turns the review on for an
      organization.
    </EmptyState>
  );
}

function Review() {
  const client = useReviews();
  const { query } = useAddress();
  const state = reviewStates.find((one) => one === query.get('state')) ?? 'open';
  const subject = query.get('subject') ?? '';
  const reading = useQuery(() => client.list(state), [client, state], REFRESH_MS);
  const [counts, setCounts] = useState<Queue['counts']>();
  if (reading.value && reading.value.counts !== counts) setCounts(reading.value.counts);
  const { error } = reading;
  if (error instanceof RpcError && error.code === 'review.not_operator') {
    return (
      <>
        <PageHead title="Review" />
        <NotOperator />
      </>
    );
  }
  return (
    <>
      <PageHead
        title="Review"
        actions={
          <button type="button" class="button" onClick={() => void reading.refetch()}>
            <Icon name="rotate" />
            Refresh
          </button>
        }
      >
        Leagues, lists of runners and names that no registry holds. Both venues list them, and a person confirms each
        once.
      </PageHead>
      <div class={subject ? 'review-columns has-entry' : 'review-columns'}>
        <div class="review-list">
          <StateFilter counts={counts} state={state} onChange={(next) => go(addressOf(next, subject), true)} />
          {reading.value ? (
            <>
              {error && (
                <p class="problem small" role="status">
                  {error.message} The list is from the last successful read.
                </p>
              )}
              <ReviewQueue queue={reading.value} state={state} subject={subject} />
            </>
          ) : error ? (
            <Problem error={error} onRetry={() => void reading.refetch()} />
          ) : (
            <div class="card wait review-wait" aria-busy="true" />
          )}
        </div>
        <div class="review-open">
          {subject ? (
            <ReviewEntry
              key={subject}
              subject={subject}
              client={client}
              back={addressOf(state, '')}
              onDecided={reading.refetch}
            />
          ) : (
            (reading.value?.entries.length ?? 0) > 0 && (
              <EmptyState icon="review" title="Choose an entry of the list">
                It opens with both listings side by side, the evidence, and what a confirmation would publish.
              </EmptyState>
            )
          )}
        </div>
      </div>
    </>
  );
}
