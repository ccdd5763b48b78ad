import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function KeysPage() {
  return (
    <>
      <PageHead title="Keys" />
      <EmptyState icon="keys" title="Not here yet" />
    </>
  );
}
