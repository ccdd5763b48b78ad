/**
 * Process logs: one JSON object a line, `{time, level, function, request_id?, event, …fields}`. A
 * reader of the log may not hold the keys of a caller, so every text passes `cleanText`.
 */

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];
export type Fields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type Log = {
  /** `event` is dotted and stable, for programs: `request.failed`. */
  write(level: Level, event: string, fields?: Fields, requestId?: string): void;
  /** Writes a sentence for people as the event `note`. */
  note(sentence: string, requestId?: string): void;
};

export type LogOptions = {
  function: string;
  /** Lines below this level are not written. Default `info`. */
  minLevel?: Level;
  print?: (line: string) => void;
  now?: () => Date;
};

/** The level that LOG_LEVEL names. @throws Error that lists the levels */
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
  // A URL keeps its path. The user part may hold a password and the query may hold a ticket.
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"']+@/gi, '$1'],
  [/(\/[^\s?"'<>]*)\?[^\s"'<>)]*/g, '$1'],
  [/\bsk_live_[A-Za-z0-9_]+/g, 'sk_live_…'],
  [/\bsb_(secret|publishable)_[A-Za-z0-9_-]+/g, 'sb_$1_…'],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…'],
  [/\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?/g, 'eyJ…'],
  // A ticket has 32 letters and digits, the hash of a key has 64. An id has dashes and stays.
  [/(?<![A-Za-z0-9-])(?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{32,}(?![A-Za-z0-9-])/g, '…'],
];

/**
 * Removes keys, tickets, tokens, passwords and the queries of URLs from a text, and cuts it to
 * 1,000 characters.
 */
export function cleanText(text: string): string {
  let cleaned = text.length > 4 * MAX_TEXT_CHARACTERS ? text.slice(0, 4 * MAX_TEXT_CHARACTERS) : text;
  for (const [pattern, replacement] of SECRET_PATTERNS) cleaned = cleaned.replace(pattern, replacement);
  return cleaned.length > MAX_TEXT_CHARACTERS ? `${cleaned.slice(0, MAX_TEXT_CHARACTERS)}…` : cleaned;
}
