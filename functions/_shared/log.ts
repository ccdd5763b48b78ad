/**
 * What the functions write of themselves: one JSON object a line, `{time, level, function, request_id?, event, …fields}`. Whoever reads a
 * log is not whoever may hold a key, so every text passes `clean` on its way out.
 */

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Log = {
  /** `event` is dotted and stable, for programs: `request.failed`. */
  write(level: Level, event: string, fields?: Fields, requestId?: string): void;
  /** A sentence for people: event `note`. */
  note(sentence: string, requestId?: string): void;
};

export type LogOptions = {
  function: string;
  /** Lines below it are not written. */
  minLevel?: Level;
  print?: (line: string) => void;
  now?: () => Date;
};

/** The least level that LOG_LEVEL names. @throws Error that lists the levels */
export function levelOf(text: string | undefined): Level {
  if (!text) return 'info';
  const found = LEVELS.find((level) => level === text);
  if (!found) throw new Error(`LOG_LEVEL is ${text}; it must be one of ${LEVELS.join(', ')}.`);
  return found;
}

export function createLog(options: LogOptions): Log {
  const { minLevel = 'info', print = (line) => console.log(line), now = () => new Date() } = options;
  const write: Log['write'] = (level, event, fields = {}, requestId) => {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(minLevel)) return;
    const head = { time: now().toISOString(), level, function: options.function };
    print(
      JSON.stringify({
        ...head,
        ...(requestId === undefined ? {} : { request_id: requestId }),
        event,
        ...cleanFields(fields),
      }),
    );
  };
  return {
    write,
    note: (sentence, requestId) => write('info', 'note', { message: sentence }, requestId),
  };
}

const MAX_TEXT_CHARACTERS = 1_000;

function cleanFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value]),
  );
}

const SECRET_PATTERNS: readonly (readonly [RegExp, string])[] = [
  // Of an address the path is enough; what follows may hold a ticket, and what stands before the host a password.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']+@/gi, '$1'],
  [/(\/[^\s?"'<>]*)\?[^\s"'<>)]*/g, '$1'],
  [/\bsk_live_[A-Za-z0-9_]+/g, 'sk_live_…'],
  [/\bsb_(secret|publishable)_[A-Za-z0-9_-]+/g, 'sb_$1_…'],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…'],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?/g, 'eyJ…'],
  // A ticket is 32 characters and bare; the hash of a key 64. An id has dashes and stays.
  [/(?<![A-Za-z0-9-])(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{32,}(?![A-Za-z0-9-])/g, '…'],
];

/** A text without keys, tickets, tokens, passwords and queries of addresses, in one line and of bounded length. */
export function cleanText(text: string): string {
  let plain = text.length > 4 * MAX_TEXT_CHARACTERS ? text.slice(0, 4 * MAX_TEXT_CHARACTERS) : text;
  for (const [shape, instead] of SECRET_PATTERNS) plain = plain.replace(shape, instead);
  return plain.length > MAX_TEXT_CHARACTERS ? `${plain.slice(0, MAX_TEXT_CHARACTERS)}…` : plain;
}
