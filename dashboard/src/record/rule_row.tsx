import { useEffect, useRef } from 'preact/hooks';
import { count } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { BoundPicture } from './bound_picture.tsx';
import { familyName, type Limits, neededOccasions, type Rule, stateMarks, termsOf } from './rule.ts';
import { RuleDetail } from './rule_detail.tsx';

type Props = {
  rule: Rule;
  limits: Limits;
  isOpen: boolean;
  /** The competition of a rule of the list. */
  competitionOf(ruleId: string): string | undefined;
  onToggle(): void;
};

/** One rule of the list. Its button opens the terms, the pool and the divergences. */
export function RuleRow({ rule, limits, isOpen, competitionOf, onToggle }: Props) {
  const row = useRef<HTMLLIElement>(null);
  const wasOpen = useRef(false);
  const mark = stateMarks[rule.state];
  const id = `rule-${hashOf(rule.rule_id)}`;
  useEffect(() => {
    // A rule that a link opened may be far below or above the link.
    if (isOpen && !wasOpen.current) row.current?.scrollIntoView({ block: 'nearest' });
    wasOpen.current = isOpen;
  }, [isOpen]);
  return (
    <li ref={row} class={isOpen ? 'rule-item is-open' : 'rule-item'}>
      <div class="rule-row">
        <div class="rule-name">
          <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
            <Icon name="down" />
            <span>
              <strong>{rule.competition ?? familyName(rule.family)}</strong>
              {rule.competition !== null && <span class="family"> {familyName(rule.family)}</span>}
            </span>
          </button>
          <p class="muted small terms-line">{termsLine(rule)}</p>
        </div>
        <p class="occasions">
          <span>
            <b>{count(rule.agreeing)}</b> agreeing
          </span>
          <span class={rule.diverging > 0 ? 'is-down' : 'muted'}>
            <b>{count(rule.diverging)}</b> diverging
          </span>
        </p>
        <p class="rule-state">
          <span class={`state ${mark.kind}`} title={mark.why}>
            <Icon name={mark.icon} />
            {mark.word}
          </span>
          <span class="muted small">{lackingText(rule, limits)}</span>
        </p>
        <BoundPicture rule={rule} limits={limits} />
      </div>
      <div id={id} class="rule-open" hidden={!isOpen}>
        {isOpen && <RuleDetail rule={rule} limits={limits} competitionOf={competitionOf} />}
      </div>
    </li>
  );
}

/** The terms that the venues state differently; they distinguish rules of one competition. */
function termsLine(rule: Rule): string {
  const terms = termsOf(rule.rule_id);
  if (!terms) return rule.rule_id;
  const line = (venue: 'venue_a' | 'venue_b') => `${venue}: ${terms[venue].map((term) => term.text).join(', ')}`;
  return `${line('venue_a')} · ${line('venue_b')}`;
}

/** `85 more needed` for a rule that only lacks occasions. */
function lackingText(rule: Rule, limits: Limits): string {
  if (rule.state !== 'unconfirmed' || rule.diverging > 0) return '';
  if (rule.pool && rule.pool.bound_pct <= limits.limit_pct) return 'too few of its own for the pool';
  const lacking = neededOccasions(limits) - rule.agreeing;
  return lacking > 0 ? `${count(lacking)} more needed` : 'too few read by this service';
}

/** A name for the DOM that follows from the rule_id. */
function hashOf(text: string): string {
  let hash = 0;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  return hash.toString(36);
}
