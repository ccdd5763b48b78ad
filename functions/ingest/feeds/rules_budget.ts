import type { ListedEvent, RejectedRow } from '../listing.ts';
import { MAX_PAGE_RULES_CHARS } from './limits.ts';
import { rejectedRow } from './parse.ts';

/** The characters that the rules of one page may still take. */
export class RulesBudget {
  #left = MAX_PAGE_RULES_CHARS;

  /** Why an event is left out of the page; null for one that fits, whose rules are counted. */
  take(event: ListedEvent): RejectedRow | null {
    let chars = 0;
    for (const { rules } of event.markets) chars += rules?.length ?? 0;
    if (chars > this.#left)
      return rejectedRow('event', event.event_id, 'event.too_long', `Its rules have ${chars} characters.`, null);
    this.#left -= chars;
    return null;
  }
}
