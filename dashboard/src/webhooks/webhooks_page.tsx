import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function WebhooksPage() {
  return (
    <>
      <PageHead title="Webhooks" />
      <EmptyState icon="webhooks" title="Not here yet" />
    </>
  );
}
