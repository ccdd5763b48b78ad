import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function MarketPage() {
  return (
    <>
      <PageHead title="Market" />
      <EmptyState icon="markets" title="Not here yet" />
    </>
  );
}
