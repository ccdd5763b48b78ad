import { Icon } from '../components/icon.tsx';
import { Problem } from '../components/problem.tsx';
import { type Reading, useReading } from '../components/reading.ts';
import { afterSentence } from './after_words.ts';
import type { Ask } from './ask.ts';
import { MarketAgo } from './market_ago.tsx';
import type { MarketClock } from './market_clock.ts';
import { gateNames, reasonWords } from './reasons.ts';
import type { Explained } from './wire.ts';

/** The service reads it from the snapshot that REST shows, which moves every five seconds. */
const EVERY_MS = 15_000;

/** Why a market is an arb, or why it is not: its four gates and what was refused after them. */
export function WhyArb({ id, ask, clock }: { id: string; ask: Ask; clock: MarketClock }) {
  const why = useReading(() => ask.explain(id), [ask, id], EVERY_MS);
  if (why.value) return <Explanation explained={why.value} clock={clock} />;
  return why.error ? <Failed reading={why} /> : null;
}

function Failed({ reading }: { reading: Reading<Explained> }) {
  return reading.error ? <Problem error={reading.error} again={reading.again} /> : null;
}

function Explanation({ explained: { gates, after, as_of }, clock }: { explained: Explained; clock: MarketClock }) {
  const closed = gates.filter((gate) => !gate.open).length;
  return (
    <section class="card" aria-labelledby="gates">
      <div class="card-head">
        <h2 id="gates">{headingOf(closed, after.code)}</h2>
        <p class="muted small">
          {closed === 0 ? 'All four gates are open' : `${closed} of 4 gates ${closed === 1 ? 'is' : 'are'} closed`}, as
          of <MarketAgo at={as_of} clock={clock} />.
        </p>
      </div>
      <ul class="card-body gates">
        {gates.map((gate) => (
          <li key={gate.gate}>
            <span class={`state ${gate.open ? 'is-up' : 'is-down'}`}>
              <Icon name={gate.open ? 'check' : 'close'} />
              {gate.open ? 'Open' : 'Closed'}
            </span>
            <div>
              <h3>{gateNames[gate.gate]}</h3>
              {!gate.open && <p class="muted">{reasonWords(gate.reason)}</p>}
            </div>
          </li>
        ))}
      </ul>
      <div class="card-body after-gates">
        {after.code !== null && <p>{afterSentence(after.code)}</p>}
        {after.opportunity?.closed_at && (
          <p class="muted small">
            The last opportunity closed <MarketAgo at={after.opportunity.closed_at} clock={clock} />:{' '}
            {afterSentence(after.opportunity.reason)}
          </p>
        )}
        {after.refused
          .filter((one) => !(one.stands && one.reason === after.code))
          .map((one) => (
            <p key={`${one.stage} ${one.reason}`} class="muted small">
              Rejected <MarketAgo at={one.last_at} clock={clock} />: {afterSentence(one.reason)}
            </p>
          ))}
      </div>
    </section>
  );
}

function headingOf(closed: number, code: string | null): string {
  if (closed > 0) return 'Why this is not an arb';
  return code === 'opportunity.open' ? 'Why this is an opportunity' : 'Why no opportunity was open';
}
