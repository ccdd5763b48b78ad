import { useEffect } from 'preact/hooks';
import { HOME_PATH } from './addresses.ts';
import { ExactTime } from './components/exact_time.tsx';
import { Toasts } from './components/toast.tsx';
import { isPage, pageAt, secondFactorPage } from './pages.ts';
import { go, targetOf, useAddress } from './router.ts';
import { signInAddress } from './session/return_url.ts';
import { SessionProvider, type SessionState, useSession } from './session/session.tsx';
import { PageOutlet } from './shell/page_outlet.tsx';
import { Shell } from './shell/shell.tsx';

/** The dashboard: session, routing, shell and the current page. */
export function App() {
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const to = targetOf(event, isPage);
      if (to === undefined) return;
      event.preventDefault();
      go(to);
    };
    document.addEventListener('click', onClick);
    return () => document.removeEventListener('click', onClick);
  }, []);
  return (
    <SessionProvider>
      <Routed />
      <Toasts />
      <ExactTime />
    </SessionProvider>
  );
}

function Routed() {
  const address = useAddress();
  const { state } = useSession();
  const page = pageAt(address.path);
  const needsSignIn = state.name === 'out' && page !== undefined && !page.open;

  useEffect(() => {
    if (address.path === '/' && (state.name === 'in' || state.name === 'code')) go(HOME_PATH, true);
    else if (needsSignIn) go(signInAddress(location, state.name === 'out' ? state.why : undefined), true);
  }, [address.path, needsSignIn, state]);

  // Also in place of the sign-in page, from which the user comes.
  const needsCode = state.name === 'code' && page !== undefined && (!page.open || page.path === '/sign-in');
  // A user with a session does not see the landing page before the session is known.
  const waits = page?.path === '/' ? isEntering(state) : !page?.open && state.name !== 'in';
  return (
    <Shell path={address.path}>
      {needsCode ? (
        <PageOutlet path="second factor" page={secondFactorPage} waits={false} />
      ) : (
        <PageOutlet path={address.path} page={page} waits={waits} />
      )}
    </Shell>
  );
}

const isEntering = (state: SessionState): boolean =>
  state.name === 'unknown' ? state.problem === undefined : state.name !== 'out';
