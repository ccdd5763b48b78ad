import { count, day } from '../components/format.ts';
import { Problem } from '../components/problem.tsx';
import './rule_detail.css';
import { DivergenceItem } from './divergence_item.tsx';
import {
  boundText,
  familyName,
  type Limits,
  type Rule,
  type RulePool,
  type RuleWithDivergences,
  stateMarks,
  type Term,
  termsOf,
} from './rule.ts';
import { useRule } from './use_rules.ts';

type Props = { rule: Rule; limits: Limits; competitionOf(ruleId: string): string | undefined };

/** The record of a rule in words, its terms, its pool and every divergence. */
export function RuleDetail({ rule, limits, competitionOf }: Props) {
  const { value, error, refetch } = useRule(rule);
  return (
    <div class="rule-detail">
      <p>
        {recordText(rule, limits)} {stateMarks[rule.state].why}
      </p>
      <Terms rule={rule} />
      {value ? (
        <>
          {value.pool && <Pool pool={value.pool} own={rule.rule_id} competitionOf={competitionOf} />}
          <Divergences rule={value} />
        </>
      ) : error ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <div class="wait tall" aria-busy="true" />
      )}
    </div>
  );
}

function recordText(rule: Rule, { limit_pct, confidence_pct }: Limits): string {
  const { agreeing, diverging, first_at, last_at, bound_pct } = rule;
  if (agreeing + diverging === 0) return 'No occasion of this rule has settled on both venues yet.';
  const period = first_at && last_at ? `From ${day(first_at)} to ${day(last_at)}, ` : '';
  const record = `${period}${count(agreeing)} occasions agreed and ${diverging === 0 ? 'none' : count(diverging)} diverged.`;
  return `${record} With ${confidence_pct} % confidence at most ${boundText(bound_pct)} diverge; the limit is ${limit_pct} %.`;
}

function Terms({ rule }: { rule: Rule }) {
  const terms = termsOf(rule.rule_id);
  if (!terms) return <p class="mono rule-id">{rule.rule_id}</p>;
  return (
    <section aria-label="Terms of the rule">
      <h3>Terms</h3>
      <p class="muted small">
        What the rule texts of both venues state about {rule.competition ?? 'these'} {familyName(rule.family)} markets.
        A term that the other venue does not state in the same way is marked.
      </p>
      <div class="sides">
        <TermList venue="venue_a" terms={terms.venue_a} />
        <TermList venue="venue_b" terms={terms.venue_b} />
      </div>
    </section>
  );
}

function TermList({ venue, terms }: { venue: 'venue_a' | 'venue_b'; terms: readonly Term[] }) {
  return (
    <div class="side-box">
      <h4>
        <span class={`swatch ${venue}`} aria-hidden="true" /> {venue}
      </h4>
      <ul>
        {terms.map((term) => (
          <li key={term.text}>{term.differs ? <mark>{term.text}</mark> : term.text}</li>
        ))}
      </ul>
    </div>
  );
}

/** The rules whose records count together. Each link opens one on this page. */
function Pool({ pool, own, competitionOf }: { pool: RulePool; own: string } & Pick<Props, 'competitionOf'>) {
  const left = pool.count - pool.members.length;
  return (
    <section aria-label="Pool">
      <h3>Pool</h3>
      <p class="muted small">
        {count(pool.count)} rules of the same family with the same terms and texts, none with a divergence:{' '}
        {count(pool.agreeing)} agreeing occasions together, so at most {boundText(pool.bound_pct)} diverge.
      </p>
      <ul class="pool">
        {pool.members.map((member) => (
          <li key={member}>
            {member === own ? (
              <span class="chip">{competitionOf(member) ?? scopeOf(member)} (this rule)</span>
            ) : (
              <a class="chip" href={`/record?rule=${encodeURIComponent(member)}`}>
                {competitionOf(member) ?? scopeOf(member)}
              </a>
            )}
          </li>
        ))}
        {left > 0 && <li class="muted small">and {count(left)} more</li>}
      </ul>
    </section>
  );
}

/** The competition in a rule_id: `moneyline / NFL / venue_a: …`. */
function scopeOf(ruleId: string): string {
  const [, scope = ''] = ruleId.split(' / ');
  return scope === '' || scope.startsWith('venue_a: ') ? ruleId : scope;
}

function Divergences({ rule }: { rule: RuleWithDivergences }) {
  const { divergences, divergences_count, agreeing, diverging } = rule;
  return (
    <section aria-label="Divergences">
      <h3>Divergences</h3>
      {divergences.length === 0 ? (
        <p class="muted small">{noEvidenceText(agreeing, diverging)}</p>
      ) : (
        <>
          <p class="muted small">
            Markets on which the venues paid differently, newest first. Words that the other text has nowhere are
            marked.
            {divergences.length < divergences_count &&
              ` These are the newest ${count(divergences.length)} of ${count(divergences_count)}.`}
          </p>
          <ul class="divergences">
            {divergences.map((divergence, at) => (
              <DivergenceItem
                key={`${divergence.source} ${divergence.occasion} ${divergence.venue_a.event} ${at}`}
                divergence={divergence}
                startsOpen={at === 0}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function noEvidenceText(agreeing: number, diverging: number): string {
  if (diverging > 0) return 'The divergences are figures that an operator loaded. They have no texts.';
  return agreeing > 0 ? 'Both venues paid the same on every settled occasion.' : 'No occasion has settled yet.';
}
