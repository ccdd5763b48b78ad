import { records, text, type Wire } from './wire.ts';

/** All that a venue_b event calls itself and asks, in one text: for a first look at whether a family could be meant at all. */
export function glimpseOf(event: Wire): string {
  const asked = records(event.markets).map((market) => text(market.question) ?? '');
  return [text(event.slug) ?? '', text(event.title) ?? '', ...asked].join(' ');
}
