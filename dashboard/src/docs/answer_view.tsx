import { CopyButton } from '../components/copy_button.tsx';
import { formatJson, JsonText } from './json.tsx';
import type { Answer } from './send_request.ts';

/** More characters would make the page slow. The copy button copies the whole body. */
const MAX_SHOWN_CHARACTERS = 40_000;

/** Status, time, headers and body of an answer, as the API sent them. */
export function AnswerView({ answer }: { answer: Answer }) {
  const { status, ms, headers, text, bytes, isComplete } = answer;
  const isError = status >= 400;
  return (
    <div class="answer">
      <p class="answer-line">
        <span class={isError ? 'answer-status is-error' : 'answer-status'}>
          {status} {status >= 500 ? 'failed' : isError ? 'refused' : 'answered'}
        </span>
        <span>{ms.toLocaleString('en')} ms</span>
        <span>{sizeText(bytes)}</span>
      </p>
      <table class="answer-headers" aria-label="Headers of the answer">
        <tbody>
          {headers.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {text === '' ? <p class="answer-note">The answer has no body.</p> : <Body text={text} isComplete={isComplete} />}
    </div>
  );
}

function Body({ text, isComplete }: { text: string; isComplete: boolean }) {
  const formatted = formattedText(text);
  const isCut = formatted.length > MAX_SHOWN_CHARACTERS;
  return (
    <>
      <div class="answer-body-head">
        <p class="answer-note">
          {isCut &&
            `The first ${MAX_SHOWN_CHARACTERS.toLocaleString('en')} of ${formatted.length.toLocaleString('en')} characters. `}
          {!isComplete && 'The body was too long and was not read to its end.'}
        </p>
        <CopyButton kind="button little" text={formatted} label="the body of the answer">
          {isCut && isComplete ? 'Copy all' : 'Copy'}
        </CopyButton>
      </div>
      <JsonText text={isCut ? formatted.slice(0, MAX_SHOWN_CHARACTERS) : formatted} />
    </>
  );
}

/** JSON with line breaks; any other text as it is. */
function formattedText(text: string): string {
  try {
    return formatJson(JSON.parse(text));
  } catch {
    return text;
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
