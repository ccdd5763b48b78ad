import { useState } from 'preact/hooks';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { useSession } from '../session/session.tsx';
import { chooseTheme, chosenTheme, type Theme, themes } from './theme.ts';

/** The signed-in user, the theme, and sign-out. */
export function AccountMenu() {
  const { state, signOut } = useSession();
  const [theme, setTheme] = useState(chosenTheme);
  const take = (next: Theme) => {
    chooseTheme(next);
    setTheme(next);
  };
  const who = state.name === 'in' ? state.email : 'Not signed in';
  return (
    <Menu
      label="Account"
      kind="switch"
      button={
        <>
          <span
            class="avatar"
            aria-hidden="true"
            data-letter={state.name === 'in' ? state.email.slice(0, 1).toUpperCase() : ''}
          >
            {state.name !== 'in' && <Icon name="team" />}
          </span>
          <span class="switch-name">
            <span>{who}</span>
          </span>
          <Icon name="settings" />
        </>
      }
    >
      {(close) => (
        <>
          <fieldset class="theme-choice">
            <legend class="small muted">Theme</legend>
            <div class="segments">
              {themes.map((one) => (
                <button key={one} type="button" aria-pressed={theme === one} onClick={() => take(one)}>
                  {one}
                </button>
              ))}
            </div>
          </fieldset>
          <hr />
          {state.name === 'in' ? (
            <>
              <a class="entry" href="/account" onClick={close}>
                <Icon name="settings" />
                Your account
              </a>
              <button type="button" class="entry" onClick={() => void signOut(false)}>
                <Icon name="out" />
                Sign out
              </button>
              <button type="button" class="entry" onClick={() => void signOut(true)}>
                <Icon name="out" />
                Sign out on all devices
              </button>
            </>
          ) : (
            <a class="entry" href="/sign-in" onClick={close}>
              <Icon name="out" />
              Sign in
            </a>
          )}
        </>
      )}
    </Menu>
  );
}
