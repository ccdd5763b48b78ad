import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function OpportunitiesPage() {
  return (
    <>
      <PageHead title="Opportunities" />
      <EmptyState icon="opportunities" title="Not here yet" />
    </>
  );
}
