import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function MarketsPage() {
  return (
    <>
      <PageHead title="Markets" />
      <EmptyState icon="markets" title="Not here yet" />
    </>
  );
}
