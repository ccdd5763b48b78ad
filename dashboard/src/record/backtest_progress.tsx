import { Ago } from '../components/ago.tsx';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import type { Backtest } from './rule.ts';

/** How far the settled history of both venues has been read. */
export function BacktestProgress({ backtest }: { backtest: Backtest }) {
  const { scopes, done, failed, finished_at } = backtest;
  if (scopes === 0) return <p class="muted small">The settled history of the venues has not been read yet.</p>;
  return (
    <div class="backtest">
      <p class="small">
        {finished_at === null ? (
          <>
            <strong>The backtest is running:</strong> {count(done)} of {count(scopes)} competitions, places and assets
            read, {readText(backtest)}.
          </>
        ) : (
          <>
            The backtest finished <Ago at={finished_at} />: {count(done)} of {count(scopes)} competitions, places and
            assets read, {readText(backtest)}.
          </>
        )}
      </p>
      {finished_at === null && (
        <progress class="backtest-bar" aria-label="Progress of the backtest" max={scopes} value={done + failed}>
          {done + failed} of {scopes}
        </progress>
      )}
      {failed > 0 && (
        <p class="small is-stale">
          <Icon name="warning" /> {count(failed)} could not be read. The backtest tries again.
        </p>
      )}
    </div>
  );
}

const readText = ({ listings, occasions }: Backtest): string =>
  `${count(listings)} ${listings === 1 ? 'listing' : 'listings'}, ${count(occasions)} ${occasions === 1 ? 'occasion' : 'occasions'}`;
