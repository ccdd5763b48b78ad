import { NO_VALUE } from '../components/format.ts';
import { visibleText } from '../record/venue_text.ts';

/** Longer text is cut: a title of a venue may have 10,000 characters. */
const MAX_CHARACTERS = 160;

/** Text of a venue or a person: cut, wrapped, isolated, characters that turn it around visible. */
export function UntrustedText({ text, max = MAX_CHARACTERS }: { text: string | null | undefined; max?: number }) {
  return (
    <bdi class="untrusted" dir="auto">
      {cutText(text ?? '', max) || NO_VALUE}
    </bdi>
  );
}

/** At most `max` characters of a text, each visible. */
export function cutText(text: string, max = MAX_CHARACTERS): string {
  const characters = [...text.slice(0, max * 2)];
  const isCut = characters.length > max || text.length > max * 2;
  return `${visibleText(characters.slice(0, max).join(''))}${isCut ? '…' : ''}`;
}
