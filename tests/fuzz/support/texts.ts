import fc from 'fast-check';

/**
 * Texts that often break parsers: quotes, other alphabets, lone surrogates, names with a meaning in
 * code.
 */
const hostileTexts = [
  ...[
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\udc00x',
    '\u202e',
    '\u3164',
    '\ufeff',
    '😀',
    'e\u0301',
    'ﬀ',
    'İ',
    'ß',
    '\r\n',
    '\t',
  ],
  ...[
    "'",
    '"',
    '\\',
    '`',
    '$1',
    '%',
    '%s',
    '{}',
    '[]',
    '<script>',
    '--',
    ';',
    '/*',
    '#{x}',
    '../',
    '..\\',
    '\\u0000',
    '%00',
  ],
  ...['null', 'true', 'NaN', 'Infinity', '-0', '1e400', '0x10', '9'.repeat(400), '1'.repeat(30), '.', '-', '+', '٣'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'all', 'open', '*', '?', '&', '=', '#'],
];

/** Any text, with hostile ones more often. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  // Texts that Postgres or UTF-8 cannot store, often enough that every parameter receives some.
  fc.constantFrom('\u0000', 'a\u0000', '\ud800', '\udfff\ud800', '\u202e'),
  fc.constantFrom(...hostileTexts),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.array(fc.constantFrom(...hostileTexts), { maxLength: 6 }).map((all) => all.join('')),
);

/** A long text: one part, repeated. */
export const longText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constantFrom(...hostileTexts), fc.string({ minLength: 1, maxLength: 4 })),
    fc.integer({ min: 200, max: 4_000 }),
  )
  .map(([part, length]) => (part || 'x').repeat(Math.ceil(length / (part.length || 1))).slice(0, length));

/**
 * Any JSON value, also with keys such as __proto__ and with lone surrogates, which JSON can encode.
 */
export const anyJson = (maxDepth = 3): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.jsonValue({ maxDepth }) },
    {
      weight: 1,
      arbitrary: fc.object({ key: fc.oneof(anyText), values: [anyText, fc.double(), fc.constant(null)], maxDepth }),
    },
    { weight: 1, arbitrary: anyText },
    {
      weight: 1,
      arbitrary: fc.constantFrom(JSON.parse('{"toString":1,"valueOf":2}'), JSON.parse('{"__proto__":{"x":1}}')),
    },
  );

/** The text as part of a URL, percent-encoded correctly, wrongly or not at all. */
export const inUrl = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(texts, fc.constantFrom('correct', 'correct', 'correct', 'twice', 'raw', 'broken', 'overlong'))
    .map(([text, encoding]) => {
      const encoded = encodeURIComponent(text.toWellFormed());
      if (encoding === 'twice') return encodeURIComponent(encoded);
      if (encoding === 'raw') return text.replaceAll(/[^\x21-\x22\x24-\x7e]/g, '%');
      if (encoding === 'broken') return `${encoded}%${encoded.slice(0, 1)}`;
      return encoding === 'overlong' ? `%c0%af${encoded}%ed%a0%80` : encoded;
    });
