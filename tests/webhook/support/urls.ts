import fc from 'fast-check';

// URLs of receivers for the parser at a registration (functions/api/webhook_url.ts) and for the one
// at each delivery (webhook.parse_url).

/** Valid URLs with their host, port and target. */
export const validUrls: [url: string, host: string, port: number, target: string][] = [
  ['https://hooks.example.com', 'hooks.example.com', 443, '/'],
  ['HTTPS://Hooks.Example.COM/In?x=1', 'hooks.example.com', 443, '/In?x=1'],
  ['https://hooks.example.com:8443?x', 'hooks.example.com', 8443, '/?x'],
  ['https://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example', 443, '/%C3%BC'],
  ['https://my_hooks.example.com/', 'my_hooks.example.com', 443, '/'],
  ['https://8.8.8.8/', '8.8.8.8', 443, '/'],
  ['https://[2606:4700::1111]:1024/', '2606:4700::1111', 1024, '/'],
  ['https://hooks.example.com:65535/', 'hooks.example.com', 65_535, '/'],
  ['https://1.2.3.4.example.com/', '1.2.3.4.example.com', 443, '/'],
  [`https://hooks.example.com/${'x'.repeat(2022)}`, 'hooks.example.com', 443, `/${'x'.repeat(2022)}`],
];

/** Invalid URLs by the type of the fault. Those of privateHosts have the fault url_private_host. */
export const invalidUrls: [type: string, urls: string[]][] = [
  [
    'url_scheme',
    [
      'http://hooks.example.com',
      'ftp://hooks.example.com',
      'hooks.example.com',
      '//hooks.example.com',
      'https:hooks.example.com',
      'https:/hooks.example.com',
      '',
      'javascript:alert(1)',
    ],
  ],
  [
    'url_credentials',
    [
      'https://me@hooks.example.com',
      'https://me:word@hooks.example.com',
      'https://hooks.example.com@10.0.0.1/',
      'https://@hooks.example.com',
    ],
  ],
  [
    'url_fragment',
    ['https://hooks.example.com/#x', 'https://hooks.example.com#', 'https://hooks.example.com#@10.0.0.1'],
  ],
  [
    'url_port',
    [
      'https://hooks.example.com:0',
      'https://hooks.example.com:65536',
      'https://hooks.example.com:',
      'https://hooks.example.com:08443',
      'https://hooks.example.com:8443x',
      'https://hooks.example.com:-1',
      'https://hooks.example.com:22',
      'https://hooks.example.com:25',
      'https://hooks.example.com:80',
      'https://hooks.example.com:442',
      'https://hooks.example.com:444',
      'https://hooks.example.com:1023',
      'https://hooks.example.com:587',
      'https://hooks.example.com:443:443',
    ],
  ],
  ['string_too_long', [`https://hooks.example.com/${'x'.repeat(2023)}`]],
  [
    'url_parsing',
    [
      'https://',
      'https:///x',
      'https://[.]',
      'https://[8.8.8.8]/',
      'https://hooks..example.com',
      'https://.example.com',
      'https://example.com.',
      'https://-x.example.com',
      `https://${'x'.repeat(64)}.example.com`,
      'https://hooks.example.com\\@10.0.0.1/',
      'https://hooks example.com',
      'https://hooks.example.com/a b',
      'https://hooks.example.com/\r\nHost: x',
      'https://hooks.example.com/\u0001',
      'https://bücher.example',
      'https://１２７.0.0.1/',
      'https://127。0。0。1/',
      'https://ⓛocalhost.example',
      'https://%31%32%37.0.0.1/',
      'https://[::1',
      'https://::1/',
      'https://[fe80::1%25eth0]/',
      'https://[v1.x]/',
      'https://[::ffff:0x7f.1]/',
      'https://hooks.example.com/{x}',
      'https://exam\tple.com',
      ' https://hooks.example.com',
      'https://hooks.example.com\n',
    ],
  ],
];

const names = [
  'localhost',
  'LOCALHOST',
  'intranet',
  'x.localhost',
  'printer.local',
  'db.internal',
  'x.home.arpa',
  'metadata.google.internal',
];
const literals = [
  ...['127.0.0.1', '127.255.255.254', '10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
  ...[
    '100.64.0.1',
    '100.127.255.255',
    '0.0.0.0',
    '0.1.2.3',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
  ],
  ...['192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '192.88.99.1'],
  // Octal, hexadecimal, short forms, whole numbers, leading zeros, too large: forms that some
  // parser accepts as an address.
  ...[
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '127.1',
    '127.0.1',
    '2130706433',
    '017700000001',
    '10.0.0.01',
    '010.8.8.8',
  ],
  ...['0x7f.1', '1.1.1.0x1', '256.1.1.1', '1.2.3.4.5', '8.8.8', '4294967296', '0X7F.0.0.1', '1.2.3.0x', '1.2.3.08'],
  ...[
    '[::1]',
    '[::]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:8.8.8.8]',
  ],
  ...[
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b:1::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[2001:db8::1]',
  ],
  ...['[100::1]', '[3fff::1]', '[0:0:0:0:0:0:0:1]', '[5f00::1]', '[1::1::1]', '[12345::]'],
];

/** Names that are not public, and every notation of an address that is not public. */
export const privateHosts = [...names, ...literals];

const piece = fc.constantFrom(
  ...[
    'https://',
    'http://',
    'example',
    '.',
    'com',
    '127',
    '0x7f',
    '@',
    ':',
    '443',
    '/',
    '?',
    '#',
    '[',
    ']',
    '::1',
    '%00',
    '\\',
    ' ',
    'ü',
    '\n',
    'xn--',
    '-',
    '_',
    '0',
    '1',
  ],
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
  fc.array(piece).map((all) => `https://${all.join('')}`),
  fc.webUrl({ validSchemes: ['https'] }),
  fc.ipV4Extended().map((ip) => `https://${ip}/`),
  fc.ipV6().map((ip) => `https://[${ip}]/`),
);

/** Any text that Postgres can store, often close to a URL. */
export const anyUrl = text.filter((one) => !one.includes('\0') && one.isWellFormed());
