import fc from 'fast-check';

/** What breaks readers of text: quoting, other alphabets, halves of characters, words that are names to a language. */
const tricks = [
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

/** Any text, most of all such as breaks things. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  // What no database stores and no encoding writes comes often enough to meet every parameter.
  fc.constantFrom('\u0000', 'a\u0000', '\ud800', '\udfff\ud800', '\u202e'),
  fc.constantFrom(...tricks),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.array(fc.constantFrom(...tricks), { maxLength: 6 }).map((all) => all.join('')),
);

/** A long one: the same bit again and again. */
export const longText: fc.Arbitrary<string> = fc
  .tuple(
    fc.oneof(fc.constantFrom(...tricks), fc.string({ minLength: 1, maxLength: 4 })),
    fc.integer({ min: 200, max: 4_000 }),
  )
  .map(([bit, length]) => (bit || 'x').repeat(Math.ceil(length / (bit.length || 1))).slice(0, length));

/** Any JSON value, with the keys that are names to JavaScript and texts as above. Half characters too: JSON can write them. */
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

/** A text as it may stand in an address: encoded well, badly or not at all. */
export const asWritten = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(text, fc.constantFrom('well', 'well', 'well', 'twice', 'raw', 'broken', 'overlong')).map(([one, how]) => {
    const well = encodeURIComponent(one.toWellFormed());
    if (how === 'twice') return encodeURIComponent(well);
    if (how === 'raw') return one.replaceAll(/[^\x21-\x22\x24-\x7e]/g, '%');
    if (how === 'broken') return `${well}%${well.slice(0, 1)}`;
    return how === 'overlong' ? `%c0%af${well}%ed%a0%80` : well;
  });
