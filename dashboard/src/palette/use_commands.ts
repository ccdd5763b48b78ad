import { pages } from '../pages.ts';
import { go } from '../router.ts';
import { isOperator } from '../session/organizations.ts';
import { useSession } from '../session/session.tsx';
import { chooseTheme, themes } from '../shell/theme.ts';
import type { Command } from './palette.ts';

/** Pages without an icon in the navigation that the palette offers as well. */
const hidden = new Set(['/', '/market', '/sign-in', '/reset-password']);

/** The pages and actions that this user has. */
export function useCommands(): Command[] {
  const session = useSession();
  const { state } = session;
  const isIn = state.name === 'in';
  const operates = isIn && isOperator(state.organizations);
  const open = pages
    .filter(({ path, operators }) => !hidden.has(path) && (!operators || operates))
    .map(({ path, title, icon }): Command => {
      return { id: path, kind: 'Page', icon: icon ?? 'settings', title, run: () => go(path) };
    });
  const docs: Command = {
    ...{ id: 'docs', kind: 'Page', icon: 'docs', title: 'Docs', words: 'API reference guides' },
    run: () => location.assign('/docs/'),
  };
  const theme = themes.map((one): Command => {
    const title = `Theme: ${one.toLowerCase()}`;
    return { id: title, kind: 'Action', icon: 'sun', title, words: 'colours mode', run: () => chooseTheme(one) };
  });
  if (!isIn) {
    const run = () => go('/sign-in');
    return [...open, docs, ...theme, { id: 'in', kind: 'Action', icon: 'out', title: 'Sign in', run }];
  }
  const switches = state.organizations
    .filter((one) => one.org_id !== state.organization.org_id)
    .map((one): Command => {
      const title = `Switch to ${one.name}`;
      return { id: one.org_id, kind: 'Action', icon: 'team', title, run: () => session.choose(one.org_id) };
    });
  const isOwner = state.organization.role === 'owner';
  const create: Command = {
    ...{ id: 'key', kind: 'Action', icon: 'plus', title: 'New key', words: 'create API' },
    run: () => go('/keys?new'),
  };
  const out: Command = {
    ...{ id: 'out', kind: 'Action', icon: 'out', title: 'Sign out', words: 'log leave' },
    run: () => void session.signOut(false),
  };
  return [...open, docs, ...(isOwner ? [create] : []), ...switches, ...theme, out];
}
