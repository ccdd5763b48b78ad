import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { go } from '../router.ts';
import { type Client, getClient } from './client.ts';
import { choose, chosenOrganization, type Organization, readOrganizations } from './organizations.ts';
import type { SignInReason } from './return_url.ts';
import { RpcError } from './rpc_error.ts';

export type SessionState =
  /** Not known yet. `problem` is the error of the last attempt. */
  | { name: 'unknown'; problem?: string }
  | { name: 'out'; why?: SignInReason }
  /** Signed in with a password or a link, and a second factor is set up. */
  | { name: 'code'; client: Client; email: string; userId: string }
  | {
      name: 'in';
      client: Client;
      email: string;
      userId: string;
      organizations: Organization[];
      organization: Organization;
    };

type Session = {
  state: SessionState;
  /** Reloads the organizations, for example after a rename or a plan change. `then` selects one. */
  refresh(then?: string): Promise<void>;
  choose(org: string): void;
  /** Ends the session on this device or on all devices. */
  signOut(everywhere: boolean): Promise<void>;
  /** Ends the session on this device because the service rejected it. */
  onExpired(): void;
  /** Asks for the second factor because the service did. */
  onCodeNeeded(): void;
  /** Ends the session on this device after the user deleted the account. */
  onDeleted(): void;
};

const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession is called outside of SessionProvider');
  return session;
}

/** The signed-in user. Only for pages that require a session; PageOutlet renders those with one. */
export function useMember(): Extract<SessionState, { name: 'in' }> {
  const { state } = useSession();
  if (state.name !== 'in') throw new Error('useMember requires a session');
  return state;
}

const RETRY_MS = 4000;

/**
 * Whether the browser had a stored session when the page loaded. If it is gone now, it has expired.
 */
const hadStoredSession = Object.keys(localStorage).some((key) => /^sb-.+-auth-token$/.test(key));

const signOutLocally = (): void => void getClient().then((client) => client.auth.signOut({ scope: 'local' }));

export function SessionProvider({ children }: { children: ComponentChildren }) {
  const [state, setState] = useState<SessionState>({ name: 'unknown' });
  const now = useRef(state);
  now.current = state;
  const leaving = useRef<SignInReason | undefined>(undefined);
  const entering = useRef('');

  const enter = useCallback(async (client: Client, userId: string, email: string, wanted?: string) => {
    try {
      const organizations = await readOrganizations(client);
      const organization = chosenOrganization(organizations, wanted);
      if (!organization)
        throw new RpcError(
          'account.none',
          'Your account belongs to no organization. Ask an owner for an invitation code.',
        );
      setState({ name: 'in', client, email, userId, organizations, organization });
    } catch (error) {
      if (error instanceof RpcError && error.code === 'session.expired') {
        await client.auth.signOut({ scope: 'local' });
        setState({ name: 'out', why: 'expired' });
      } else if (error instanceof RpcError && error.code === 'session.second_factor') {
        setState({ name: 'code', client, email, userId });
      } else if (now.current.name !== 'in') {
        setState({ name: 'unknown', problem: (error as Error).message });
        setTimeout(() => void enter(client, userId, email, wanted), RETRY_MS);
      }
    }
  }, []);

  useEffect(() => {
    let stopped = false;
    let unsubscribe = () => {};
    const start = async (): Promise<void> => {
      try {
        const client = await getClient();
        if (stopped) return;
        const { data } = client.auth.onAuthStateChange((event, session) => {
          // The library holds a lock during this callback. Calling the client inside it would
          // deadlock.
          setTimeout(() => {
            if (stopped) return;
            const known = now.current;
            // Where Auth does not allow the address of that page, its link opens another one.
            if (event === 'PASSWORD_RECOVERY') go('/reset-password', true);
            if (!session) {
              const ended = known.name === 'in' || (known.name === 'unknown' && hadStoredSession);
              const why = leaving.current ?? (ended ? 'expired' : undefined);
              leaving.current = undefined;
              if (known.name !== 'out') setState(why ? { name: 'out', why } : { name: 'out' });
            } else if (event !== 'TOKEN_REFRESHED' && (known.name !== 'in' || known.userId !== session.user.id)) {
              // The library reports the same session several times when a page opens.
              if (entering.current === session.user.id) return;
              entering.current = session.user.id;
              void enter(client, session.user.id, session.user.email ?? '').finally(() => {
                entering.current = '';
              });
            }
          });
        });
        unsubscribe = () => data.subscription.unsubscribe();
      } catch (error) {
        if (stopped) return;
        setState({ name: 'unknown', problem: (error as Error).message });
        setTimeout(() => void start(), RETRY_MS);
      }
    };
    void start();
    return () => {
      stopped = true;
      unsubscribe();
    };
  }, [enter]);

  // Stable across state changes, so that effects which depend on an action do not run again.
  const actions = useMemo<Omit<Session, 'state'>>(
    () => ({
      async refresh(wanted) {
        const known = now.current;
        if (known.name === 'in')
          await enter(known.client, known.userId, known.email, wanted ?? known.organization.org_id);
      },
      choose(org) {
        const known = now.current;
        if (known.name !== 'in') return;
        const organization = choose(known.organizations, org);
        if (organization) setState({ ...known, organization });
      },
      async signOut(everywhere) {
        leaving.current = 'left';
        const client = await getClient();
        const { error } = await client.auth.signOut({ scope: everywhere ? 'global' : 'local' });
        // Signing out on this device must work without a network.
        if (error) await client.auth.signOut({ scope: 'local' });
      },
      onExpired: signOutLocally,
      onCodeNeeded() {
        const known = now.current;
        if (known.name !== 'in') return;
        const { client, email, userId } = known;
        setState({ name: 'code', client, email, userId });
      },
      onDeleted() {
        leaving.current = 'deleted';
        signOutLocally();
      },
    }),
    [enter],
  );
  const session = useMemo(() => ({ state, ...actions }), [state, actions]);
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}
