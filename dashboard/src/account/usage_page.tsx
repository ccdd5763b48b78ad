import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function UsagePage() {
  return (
    <>
      <PageHead title="Usage" />
      <EmptyState icon="usage" title="Not here yet" />
    </>
  );
}
