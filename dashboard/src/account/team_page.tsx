import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function TeamPage() {
  return (
    <>
      <PageHead title="Team" />
      <EmptyState icon="team" title="Not here yet" />
    </>
  );
}
