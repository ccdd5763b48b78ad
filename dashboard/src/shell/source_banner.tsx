import { useHealth } from '../status/health.ts';

const text = {
  simulated: 'Simulated venues: prices, events and results are invented. Do not trade on them.',
  replay: 'Replay of recorded data: times and prices are those of the recording. Do not trade on them.',
};

const STORAGE_KEY = 'parallax.source';

/**
 * Warns on every page when the data is not the live market. Until /health has responded it shows
 * the last known source, so that the page does not move.
 */
export function SourceBanner() {
  const { health } = useHealth();
  const sources = [health?.venues.venue_a?.source, health?.venues.venue_b?.source];
  const now = sources.includes('simulated') ? 'simulated' : sources.includes('replay') ? 'replay' : 'live';
  const source = health ? now : sessionStorage.getItem(STORAGE_KEY);
  if (health) sessionStorage.setItem(STORAGE_KEY, now);
  return source === 'simulated' || source === 'replay' ? (
    <div class="banner" role="note">
      {text[source]}
    </div>
  ) : null;
}
