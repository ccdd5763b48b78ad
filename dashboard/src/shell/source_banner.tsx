import { useHealth } from '../status/health.ts';

const text = {
  simulated: 'The venues are simulated. Prices, games and results are invented; do not trade on them.',
  replay: 'This is a replay of a recording. Times and prices are those of the day it was recorded.',
};

const STORAGE_KEY = 'parallax.source';

/**
 * Says at the top of every page when what is shown is not the live market. What was true last time is shown until the service has
 * answered, so that the page does not jump when it does.
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
