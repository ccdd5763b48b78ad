import { EmptyState } from '../parts/empty_state.tsx';
import { PageHead } from '../parts/page_head.tsx';

export function OrganizationPage() {
  return (
    <>
      <PageHead title="Organization" />
      <EmptyState icon="settings" title="Not here yet" />
    </>
  );
}
