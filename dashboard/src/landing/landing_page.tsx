import { Icon, type IconName } from '../components/icon.tsx';
import { PageHead } from '../components/page_head.tsx';
import { RecordCard } from '../track_record/record_card.tsx';
import { SampleCard } from './sample_card.tsx';
import './landing.css';

const offers: [icon: IconName, name: string, text: string][] = [
  ['markets', 'Paired', 'The same question on both venues, with every difference in how they settle.'],
  ['opportunities', 'Priced', 'Arbitrage after fees, at the size that both order books offer.'],
  ['keys', 'Delivered', 'One key for REST, a stream, webhooks and MCP.'],
];

/** Answers, before a sign-in: what is Parallax, and does it work? */
export function LandingPage() {
  return (
    <div class="landing">
      <PageHead
        title="One question, two prices"
        actions={
          <>
            <a class="button first" href="/sign-in?new">
              Create an account
            </a>
            <a class="button" href="/sign-in">
              Sign in
            </a>
            <a class="button" href="/docs/">
              Read the docs
            </a>
          </>
        }
      >
        Parallax pairs the same question on two prediction markets, compares what each venue asks, and finds the
        arbitrage that is left after fees.
      </PageHead>
      <div class="stack">
        <SampleCard />
        <RecordCard />
        <ul class="offers">
          {offers.map(([icon, name, text]) => (
            <li key={name} class="card">
              <Icon name={icon} />
              <h2>{name}</h2>
              <p class="muted">{text}</p>
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}
