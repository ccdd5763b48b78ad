import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Brand } from '../components/brand.tsx';
import { Icon } from '../components/icon.tsx';
import { useSession } from '../session/session.tsx';
import { AccountMenu } from './account_menu.tsx';
import { FeedStrip } from './feed_strip.tsx';
import { Navigation } from './navigation.tsx';
import { OrganizationSwitcher } from './organization_switcher.tsx';
import { SourceBanner } from './source_banner.tsx';
import './shell.css';
import './strip.css';

/** What stands around every page: where one can go, for whom one acts, and whether what is shown is fresh. */
export function Shell({ path, children }: { path: string; children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const { state } = useSession();
  // Arriving at another page closes the menu of a narrow window.
  useEffect(() => setOpen(false), [path]);

  return (
    <>
      <a class="skip" href="#page">
        Skip to the page
      </a>
      <div class="shell">
        <header class={`side ${open ? 'is-open' : ''}`}>
          <div class="side-head">
            <Brand />
            <button
              type="button"
              class="button plain square toggle"
              aria-expanded={open}
              aria-controls="navigation"
              aria-label="Menu"
              onClick={() => setOpen(!open)}
            >
              <Icon name={open ? 'close' : 'menu'} />
            </button>
          </div>
          <div class="side-body" id="navigation">
            {state.name !== 'out' && <div class="side-org">{state.name === 'in' && <OrganizationSwitcher />}</div>}
            <Navigation path={path} />
            <div class="side-foot">
              <AccountMenu />
            </div>
          </div>
        </header>
        <div class="room">
          <SourceBanner />
          <FeedStrip />
          <Offline />
          <main id="page" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
    </>
  );
}

/** Says when the network is gone: what is on the page stays, and is what was read last. */
function Offline() {
  const [away, setAway] = useState(!navigator.onLine);
  useEffect(() => {
    const look = () => setAway(!navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return (
    <div role="status">
      {away && (
        <p class="away">
          <Icon name="offline" />
          You are offline. What you see was read before; it is read again as soon as the network is back.
        </p>
      )}
    </div>
  );
}
