import { PageHead } from '../parts/page_head.tsx';

export function SignInPage() {
  return <PageHead title="Sign in" />;
}
