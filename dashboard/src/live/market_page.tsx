import { useMemo } from 'preact/hooks';
import { EmptyState } from '../components/empty_state.tsx';
import { Icon } from '../components/icon.tsx';
import { useNow } from '../components/now.ts';
import { PageHead } from '../components/page_head.tsx';
import { Problem } from '../components/problem.tsx';
import { useQuery } from '../components/use_query.ts';
import { useAddress } from '../router.ts';
import './live.css';
import './market.css';
import './market_figures.css';
import './watch.css';
import { BestQuotesCard } from './best_quotes_card.tsx';
import { ConnectionStatus } from './connection_status.tsx';
import { DepthCard } from './depth_card.tsx';
import { EdgeHistory } from './edge_history.tsx';
import { type MarketDetail, type Opportunity, type Venue, venues } from './frames.ts';
import { GatesCard } from './gates_card.tsx';
import { HistoryChart } from './history_chart.tsx';
import { contextOf, riskMark, statusLabels } from './labels.ts';
import type { Live } from './live.ts';
import type { MarketQueries } from './market_queries.ts';
import { type MarketTerms, termsById } from './market_terms.ts';
import { MarketAgo, StartTime } from './market_times.tsx';
import { OutcomesTable } from './outcomes_table.tsx';
import { RiskBadge } from './risk_badge.tsx';
import { safeLink } from './safe_link.ts';
import { SettlementRisks } from './settlement_risks.tsx';
import { SettlementTime } from './settlement_time.tsx';
import { isLive } from './stale.ts';
import { TradedVolume } from './traded_volume.tsx';
import { useMarketQueries, useMemberLive, useRedrawOnChange } from './use_live.ts';
import { usePriceTrail } from './use_price_trail.ts';
import { WatchButton } from './watch_button.tsx';
import { useWatchList } from './watch_list.ts';

/** History has one bucket a minute. Order books change faster. */
const HISTORY_EVERY_MS = 60_000;
const BOOKS_EVERY_MS = 15_000;
/** Fees and settlement times change seldom. */
const TERMS_EVERY_MS = 10 * 60_000;

export function MarketPage() {
  const id = useAddress().query.get('id') ?? '';
  return <MarketView key={id} id={id} live={useMemberLive()} ask={useMarketQueries()} />;
}

/** Answers: what are the prices on both venues, how did they move, and how can a trade lose? */
export function MarketView({ id, live, ask }: { id: string; live: Live; ask: MarketQueries }) {
  useRedrawOnChange(live);
  useNow();
  const detail = useQuery(() => ask.market(id), [ask, id], BOOKS_EVERY_MS);
  const history = useQuery(() => ask.history(id), [ask, id], HISTORY_EVERY_MS);
  const terms = useQuery(async () => termsById(await ask.terms([id])).get(id), [ask, id], TERMS_EVERY_MS);
  const closed = useQuery(() => ask.closed(id), [ask, id], HISTORY_EVERY_MS);
  const row = live.store.markets.get(id);
  const trails = usePriceTrail(row, id);
  const market = useMemo(() => detail.value && joined(detail.value, row), [detail.value, row]);
  if (id === '') return <Unnamed />;
  if (!market)
    return detail.error ? <Unread error={detail.error} onRetry={detail.refetch} /> : <Waiting title={row?.title} />;
  // Rounded to the second: the plot is redrawn for each new value, and shows hours.
  const second = Math.floor(live.clock.now() / 1000) * 1000;
  return (
    <div class="stack market">
      <Head market={market} live={live} terms={terms.value} />
      <section class="card" aria-labelledby="sides">
        <div class="card-head">
          <h2 id="sides">Prices</h2>
          <p class="small muted read-at">
            Books received:{' '}
            {venues.map((venue) => (
              <span key={venue}>
                <span class={`swatch ${venue}`} aria-hidden="true" /> {venue}{' '}
                <MarketAgo at={market.books_read_at?.[venue] ?? market.priced_at} clock={live.clock} />
              </span>
            ))}
          </p>
        </div>
        {detail.value && market.outcomes.length > 0 && (
          <AsOf books={detail.value.priced_at} asks={market.priced_at} live={live} id={id} />
        )}
        {market.outcomes.length === 0 ? (
          <p class="card-body muted">No price: there are no valid order books on both venues.</p>
        ) : (
          <OutcomesTable outcomes={market.outcomes} books={detail.value?.outcomes ?? []} />
        )}
      </section>
      {detail.value && <BestQuotesCard market={detail.value} clock={live.clock} />}
      {detail.value && detail.value.outcomes.length > 0 && <DepthCard market={detail.value} clock={live.clock} />}
      {history.value ? (
        <>
          <EdgeHistory
            market={market}
            history={history.value}
            trails={trails}
            terms={terms.value}
            closed={closed.value}
            open={openIn(live, id)}
            now={second}
          />
          <HistoryChart history={history.value} outcomes={market.outcomes} trails={trails} now={second} />
        </>
      ) : (
        history.error && <Problem error={history.error} onRetry={history.refetch} />
      )}
      {market.settlement && <SettlementRisks settlement={market.settlement} />}
      <GatesCard id={id} ask={ask} clock={live.clock} />
    </div>
  );
}

type AsOfProps = { books: string; asks: string; live: Live; id: string };

/**
 * The age of the figures in the table: asks can be live, bids and sizes are from the delayed REST
 * snapshot.
 */
function AsOf({ books, asks, live, id }: AsOfProps) {
  const read = <MarketAgo at={books} clock={live.clock} />;
  const isLiveRow = live.store.markets.has(id) && asks >= books;
  if (!isLiveRow) return <p class="small muted as-of">Asks, bids and sizes as of {read}.</p>;
  return (
    <p class="small muted as-of">
      {isLive(live, id) ? (
        'Asks are live.'
      ) : (
        <>
          Asks as of <MarketAgo at={asks} clock={live.clock} />.
        </>
      )}{' '}
      Bids and sizes as of {read}, hidden where the ask has changed since.
    </p>
  );
}

/** The market detail with the newer prices of the live channel. */
function joined(detail: MarketDetail, row: ReturnType<Live['store']['markets']['get']>): MarketDetail {
  if (!row || row.priced_at < detail.priced_at) return detail;
  const { settlement: _, ...prices } = row;
  return { ...detail, ...prices };
}

/** The open opportunity of a market. */
function openIn(live: Live, id: string): Opportunity | undefined {
  return [...live.store.opportunities.values()].find((one) => one.market_id === id);
}

type HeadProps = { market: MarketDetail; live: Live; terms: MarketTerms | undefined };

function Head({ market, live, terms }: HeadProps) {
  const mark = riskMark(market);
  const open = openIn(live, market.id);
  const watched = useWatchList();
  return (
    <div>
      <p class="small back">
        <a href="/markets">Markets</a> / {contextOf(market) ?? market.category}
      </p>
      <PageHead
        title={market.title}
        actions={
          <>
            <WatchButton
              watched={watched.ids.has(market.id)}
              title={market.title}
              onToggle={() => watched.toggle(market.id)}
            />
            {venues.map((venue) => (
              <VenueLink key={venue} venue={venue} url={safeLink(market.links[venue])} />
            ))}
          </>
        }
      >
        What are the prices on both venues, how did they move, and how can a trade lose?
      </PageHead>
      <p class="facts">
        <span class="chip">{statusLabels[market.status]}</span>
        <RiskBadge mark={mark} />
        <StartTime at={market.start_time} clock={live.clock} />
        <SettlementTime terms={terms} clock={live.clock} />
        <TradedVolume terms={terms} />
        {market.confidence && (
          <span title="Confidence that both venues ask about the same event (match) and resolve it by the same rule (rule)">
            Match {market.confidence.entity.toFixed(2)}, rule {market.confidence.resolution.toFixed(2)}
          </span>
        )}
        {open && <a href={`/opportunities?market=${encodeURIComponent(market.id)}`}>Open opportunity</a>}
      </p>
      <ConnectionStatus live={live} marketId={market.id} />
    </div>
  );
}

function VenueLink({ venue, url }: { venue: Venue; url: string | undefined }) {
  if (!url) return null;
  return (
    <a class="button" href={url} target="_blank" rel="noopener noreferrer">
      <span class={`swatch ${venue}`} aria-hidden="true" />
      Open on {venue}
      <Icon name="link" />
    </a>
  );
}

function Unnamed() {
  return (
    <>
      <PageHead title="Market" />
      <EmptyState
        icon="search"
        title="No market selected"
        action={
          <a class="button" href="/markets">
            All markets
          </a>
        }
      >
        The address must contain the id of a market: <code>?id=mkt_…</code>.
      </EmptyState>
    </>
  );
}

function Unread({ error, onRetry }: { error: Error; onRetry(): Promise<void> }) {
  return (
    <>
      <PageHead title="Market" />
      <Problem error={error} onRetry={() => void onRetry()} />
    </>
  );
}

function Waiting({ title }: { title: string | undefined }) {
  return (
    <div class="stack" aria-busy="true">
      <PageHead title={title ?? 'Market'}>
        What are the prices on both venues, how did they move, and how can a trade lose?
      </PageHead>
      <div class="card wait tall" />
      <div class="card wait tall" />
    </div>
  );
}
