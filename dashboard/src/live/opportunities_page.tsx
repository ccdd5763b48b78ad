import { useRef, useState } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { PageHead } from '../components/page_head.tsx';
import { useQuery } from '../components/use_query.ts';
import './live.css';
import './opportunities.css';
import './legs.css';
import './stake.css';
import { ChannelDenied } from './channel_denied.tsx';
import { ClosedToday } from './closed_today.tsx';
import { ConnectionStatus } from './connection_status.tsx';
import type { Opportunity } from './frames.ts';
import type { Live } from './live.ts';
import type { MarketClock } from './market_clock.ts';
import type { MarketQueries } from './market_queries.ts';
import { MarketAgo } from './market_times.tsx';
import { NotLoaded, useLoadFailure } from './not_loaded.tsx';
import { OpportunityCard } from './opportunity_card.tsx';
import { nextOpportunityList, type OpportunityCardState } from './opportunity_list.ts';
import { ReportDialog } from './report_dialog.tsx';
import { StakeSlider } from './stake_slider.tsx';
import { isStale } from './stale.ts';
import { useMarketQueries, useMemberLive, useOnline, useRedrawOnChange } from './use_live.ts';
import { useMarketTerms } from './use_market_terms.ts';
import { useStake } from './use_stake.ts';

export function OpportunitiesPage() {
  return <OpportunitiesView live={useMemberLive()} ask={useMarketQueries()} />;
}

/** The open opportunities, with everything needed to trade one. */
export function OpportunitiesView({ live, ask }: { live: Live; ask: MarketQueries }) {
  useRedrawOnChange(live);
  const online = useOnline();
  const wanted = new URLSearchParams(location.search).get('market');
  const shown = useRef<readonly OpportunityCardState[]>([]);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [reported, setReported] = useState<Opportunity>();
  const [stake, setStake] = useStake();
  const { terms } = useMarketTerms(live, ask);

  shown.current = nextOpportunityList(shown.current, live.store.opportunities);
  const list = shown.current.filter(({ opportunity }) => !wanted || opportunity.market_id === wanted);
  const closed = list.filter((one) => one.closed).length;
  return (
    <div class="opportunities">
      <PageHead title="Opportunities">What to buy, at what price, and the profit after fees by size.</PageHead>
      <ConnectionStatus live={live}>
        {wanted && (
          <a class="button little" href="/opportunities">
            Show all
          </a>
        )}
        {closed > 0 && (
          <button
            type="button"
            class="button little"
            onClick={() => {
              shown.current = [];
              setToggled(new Map(toggled));
            }}
          >
            Clear {closed} closed
          </button>
        )}
      </ConnectionStatus>
      {list.length > 0 && <StakeSlider stake={stake} onChange={setStake} />}
      {list.length === 0 ? (
        <Nothing live={live} ask={ask} />
      ) : (
        <div class={`stack ${isStale(live, online) ? 'is-outdated' : ''}`}>
          {list.map(({ opportunity, closed: gone }, at) => {
            const open = toggled.get(opportunity.id) ?? at === 0;
            return (
              <OpportunityCard
                key={opportunity.id}
                opportunity={opportunity}
                closed={gone}
                closing={live.store.closeInfos.get(opportunity.id)}
                open={open}
                stake={stake}
                terms={terms.get(opportunity.market_id)}
                clock={live.clock}
                onToggle={() => setToggled(new Map(toggled).set(opportunity.id, !open))}
                onReport={() => setReported(opportunity)}
              />
            );
          })}
        </div>
      )}
      {live.isLoaded && <ClosedToday ask={ask} clock={live.clock} />}
      {reported && <ReportDialog opportunity={reported} ask={ask} onClose={() => setReported(undefined)} />}
    </div>
  );
}

function Nothing({ live, ask }: { live: Live; ask: MarketQueries }) {
  const failure = useLoadFailure(live);
  if (!live.isLoaded && live.status === 'denied') return <ChannelDenied />;
  if (failure) return <NotLoaded what="opportunities" failure={failure} />;
  if (!live.isLoaded) return <div class="card wait tall" aria-busy="true" />;
  if (live.marketChannel === 'sample') return <NoneInSample ask={ask} clock={live.clock} />;
  return (
    <EmptyState
      icon="opportunities"
      title="No open opportunity"
      action={
        <a class="button" href="/markets">
          Markets by edge
        </a>
      }
    >
      This is the usual state: most spreads are smaller than the fees, and opportunities last for seconds. A new one
      appears here immediately.
    </EmptyState>
  );
}

/** The count is delayed by two minutes, so frequent polls would not help. */
const COUNT_EVERY_MS = 30_000;

/**
 * The Free plan sees only the sample markets, so an empty list does not mean that no opportunity is
 * open.
 */
function NoneInSample({ ask, clock }: { ask: MarketQueries; clock: MarketClock }) {
  const { value } = useQuery(() => ask.openCount(), [ask], COUNT_EVERY_MS);
  return (
    <EmptyState
      icon="opportunities"
      title="No open opportunity in the sample markets"
      action={
        <a class="button" href="/usage">
          See the plans
        </a>
      }
    >
      {value && (
        <>
          {openCountText(value.count)} in all markets <MarketAgo at={value.as_of} clock={clock} />.{' '}
        </>
      )}
      On the Free plan this page covers the sample markets only. GET /v2/arbitrage lists the opportunities of all
      markets, delayed by two minutes.
    </EmptyState>
  );
}

const openCountText = (count: number): string =>
  count === 0 ? 'No opportunity was open' : `${count} ${count === 1 ? 'opportunity was' : 'opportunities were'} open`;
