/**
 * Text of a venue as it is displayed: characters that reorder or hide the text around them appear
 * as their code, such as ‹U+202E›.
 */
export function visibleText(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu, (character) =>
    keptCharacters.test(character)
      ? character
      : `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  );
}

/** Line breaks, tabs, and the joiners of emoji and of scripts that need them. */
const keptCharacters = /[\n\r\t]|\u200c|\u200d|\u00ad/;

export type TextPart = { text: string; differs: boolean };

/**
 * The text in parts: words that the other text has nowhere, and the rest. Two such words that only
 * a space separates are one part.
 */
export function markDifferingWords(text: string, other: string): TextPart[] {
  const known = new Set(tokensOf(other).map(plainWord));
  // Words are at the odd places, what separates them at the even ones.
  const tokens = tokensOf(text);
  const isNew = (at: number) => at % 2 === 1 && !known.has(plainWord(tokens[at] ?? ''));
  const parts: TextPart[] = [];
  for (const [at, token] of tokens.entries()) {
    const differs = isNew(at) || (token === ' ' && isNew(at - 1) && isNew(at + 1));
    const last = parts.at(-1);
    if (last?.differs === differs) last.text += token;
    else if (token !== '') parts.push({ text: token, differs });
  }
  return parts;
}

const tokensOf = (text: string): string[] => text.split(/([\p{L}\p{N}][\p{L}\p{N}\p{M}'’.-]*)/u);

/** A word in lower case, without the marks at its end. */
const plainWord = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]+$/u, '');
