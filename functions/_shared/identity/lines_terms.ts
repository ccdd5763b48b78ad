import type { GameRead } from './game.ts';
import { sportsTerms, type Terms } from './terms.ts';

/** Terms of the line's own text. The event's text is that of the winner and says nothing here. */
export function lineTerms(rules: string | null, game: GameRead): Terms {
  const sources = Array.isArray(game.terms.sources) ? game.terms.sources.filter((one) => typeof one === 'string') : [];
  const terms = sportsTerms(rules, sources, game.on_date);
  return rules === null ? terms : { ...terms, push: onPush(rules) };
}

/** What is paid when the count meets a whole-number line exactly; null where the text does not speak of it. */
export function onPush(text: string): string | null {
  const sentence =
    /[^.\n]*\b(?:push|exactly (?:equal|\d|on)|equals? the (?:line|spread|total)|lands on)\b(?:[^.\n]|\.\d)*/i;
  const said = sentence.exec(text)?.[0] ?? '';
  if (/50[-/ ]50|\$?0\.50/.test(said)) return 'split';
  if (/refund|void|cancel+ed/i.test(said)) return 'void';
  if (/fair (?:market )?(?:price|value)/i.test(said)) return 'fair_price';
  return null;
}
