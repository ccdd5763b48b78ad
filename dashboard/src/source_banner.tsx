import type { Health } from './health.ts';

const TEXT = {
  simulated: 'The venues are simulated. Prices, games and results on this page are invented; do not trade on them.',
  replay: 'This is a replay of a recording. Times and prices are those of the day it was recorded.',
};

/** Says at the top of every page when what is shown is not the live market. */
export function SourceBanner({ health }: { health: Health | null }) {
  const sources = [health?.venues.venue_a?.source, health?.venues.venue_b?.source];
  const source = sources.includes('simulated') ? 'simulated' : sources.includes('replay') ? 'replay' : null;
  return source ? (
    <div class="banner" role="note">
      {TEXT[source]}
    </div>
  ) : null;
}
