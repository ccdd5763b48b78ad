import { render } from 'preact';
import { useState } from 'preact/hooks';
import '../../../dashboard/src/components/tokens.css';
import '../../../dashboard/src/components/base.css';
import '../../../dashboard/src/components/controls.css';
import '../../../dashboard/src/components/components.css';
import '../../../dashboard/src/shell/shell.css';
import { Toasts } from '../../../dashboard/src/components/toast.tsx';
import { Live } from '../../../dashboard/src/live/live.ts';
import { MarketView } from '../../../dashboard/src/live/market_page.tsx';
import { MarketsView } from '../../../dashboard/src/live/markets_page.tsx';
import { OpportunitiesView } from '../../../dashboard/src/live/opportunities_page.tsx';
import { WebhooksView } from '../../../dashboard/src/webhooks/webhooks_page.tsx';
import recorded from '../support/recorded.json' with { type: 'json' };
import { Recording } from './recording.ts';
import { webhookStub } from './rpc_stub.ts';

// The live pages on recorded frames instead of a socket. A test chooses the page and state in the
// address: ?page=markets&rows=1000.

const query = new URLSearchParams(location.search);
const recording = new Recording(Number(query.get('rows') ?? 60), query.get('state') ?? 'live');
const live = new Live({
  source: recording,
  readChannelState: (channel) => recording.snapshot(channel),
  marketChannel: query.get('tier') === 'free' ? 'sample' : 'markets:all',
});
live.clock.set(recording.time());
live.start();
Object.assign(globalThis, { live, recording });

function Page() {
  const [page, setPage] = useState(query.get('page'));
  // Lets a test change the page without a reload, as the dashboard does.
  Object.assign(globalThis, { go: setPage });
  switch (page) {
    case 'market':
      return <MarketView id={recorded.pair.id} live={live} ask={recording.queries} />;
    case 'opportunities':
      return <OpportunitiesView live={live} ask={recording.queries} />;
    case 'webhooks':
      return <WebhooksView client={webhookStub(query.get('state') ?? 'live')} />;
    default:
      return <MarketsView live={live} ask={recording.queries} />;
  }
}

const root = document.getElementById('app');
if (root) {
  render(
    <main id="page" tabIndex={-1}>
      <Page />
      <Toasts />
    </main>,
    root,
  );
}
