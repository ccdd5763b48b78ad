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
import { PaletteButton, usePalette } from './use_palette.tsx';
import './shell.css';
import './strip.css';

/** The frame of every page: navigation, organization, account and the feed state of both venues. */
export function Shell({ path, children }: { path: string; children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const { state } = useSession();
  const palette = usePalette();
  // A navigation closes the menu of a narrow window.
  useEffect(() => setOpen(false), [path]);

  return (
    <>
      <a class="skip" href="#page">
        Skip to content
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
            <PaletteButton onOpen={palette.show} />
            <Navigation path={path} />
            <div class="side-foot">
              <AccountMenu />
            </div>
          </div>
        </header>
        <div class="content-column">
          <SourceBanner />
          <FeedStrip />
          <Offline />
          <main id="page" tabIndex={-1}>
            {children}
          </main>
        </div>
      </div>
      {palette.dialog}
    </>
  );
}

/** The offline notice. The page keeps its last data. */
function Offline() {
  const [isOffline, setIsOffline] = useState(!navigator.onLine);
  useEffect(() => {
    const update = () => setIsOffline(!navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  return (
    <div role="status">
      {isOffline && (
        <p class="offline">
          <Icon name="offline" />
          You are offline. The page shows its last data and updates when the network is back.
        </p>
      )}
    </div>
  );
}
