import type { Question } from '../../listing.ts';
import { type RawObject, record, records } from '../text/raw_object.ts';
import { type ContractText, findDeathClause } from './death_clause.ts';

/** Fields with text of a contract, in the order in which they are read. */
const EVENT_FIELDS = ['title', 'sub_title', 'description'];
const MARKET_FIELDS = ['rules_primary', 'rules_secondary', 'description', 'title', 'question'];
/** venue_a writes what it adds to a contract into `product_metadata.important_info`. */
const INFO_FIELDS = ['markdown', 'message', 'title'];

/**
 * Returns the texts of a question's contracts and of their event, each once. Pages shuffle the
 * markets, so the fields decide the order.
 */
function contractTexts(event: RawObject, { legs }: Question): ContractText[] {
  const ids = new Set(legs.map((leg) => leg.market_id));
  const markets = records(event.markets).filter((market) =>
    [market.ticker, market.conditionId].some((id) => typeof id === 'string' && ids.has(id)),
  );
  const info = record(record(event.product_metadata).important_info);
  const found: ContractText[] = [
    ...MARKET_FIELDS.flatMap((field) => markets.map((market) => ({ field, text: market[field] }))),
    ...INFO_FIELDS.map((field) => ({ field: 'important_info', text: info[field] })),
    ...EVENT_FIELDS.map((field) => ({ field, text: event[field] })),
  ].filter((one): one is ContractText => typeof one.text === 'string');
  return [...new Map(found.map((one) => [one.text, one])).values()];
}

/**
 * Adds the term `death` to a question that names a person (`identity.names_person`). The term is
 * what the contract pays when that person dies, and the field that states it.
 */
export function withDeathClause(question: Question, event: RawObject): Question {
  if (question.identity.names_person !== true) return question;
  const ofMatch = Array.isArray(question.identity.participants);
  const death = findDeathClause(contractTexts(event, question), ofMatch);
  return death === null ? question : { ...question, terms: { ...question.terms, death } };
}
