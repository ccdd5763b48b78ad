import { normalize } from '../text/text.ts';

/**
 * What a title of an election asks, by a closed grammar: the office, its state or district, the
 * kind of election and, in a primary, the party. Every word of a title must be known. "2nd place",
 * "runoff" or "margin of victory" give no contest.
 */

const STATES: { readonly [code: string]: string } = Object.fromEntries(
  (
    'al alabama,ak alaska,az arizona,ar arkansas,ca california,co colorado,ct connecticut,de delaware,fl florida,' +
    'ga georgia,hi hawaii,id idaho,il illinois,in indiana,ia iowa,ks kansas,ky kentucky,la louisiana,me maine,' +
    'md maryland,ma massachusetts,mi michigan,mn minnesota,ms mississippi,mo missouri,mt montana,ne nebraska,' +
    'nv nevada,nh new hampshire,nj new jersey,nm new mexico,ny new york,nc north carolina,nd north dakota,oh ohio,' +
    'ok oklahoma,or oregon,pa pennsylvania,ri rhode island,sc south carolina,sd south dakota,tn tennessee,tx texas,' +
    'ut utah,vt vermont,va virginia,wa washington,wv west virginia,wi wisconsin,wy wyoming'
  )
    .split(',')
    .map((one) => [one.slice(0, 2), one.slice(3)]),
);

/** Places by their words, longer names first: "west virginia" contains "virginia". */
const PLACES: readonly (readonly [string, string])[] = [
  ...Object.values(STATES).map((name) => [name, name.replace(/ /g, '-')] as const),
  ['washington dc', 'dc'] as const,
  ['dc', 'dc'] as const,
  ['united states', 'us'] as const,
  ['us', 'us'] as const,
].sort((a, b) => b[0].length - a[0].length);

/** Offices by their words, longer names first. */
const OFFICES: readonly (readonly [string, string])[] = (
  [
    ['lieutenant governor', 'lieutenant-governor'],
    ['attorney general', 'attorney-general'],
    ['secretary of state', 'secretary-of-state'],
    ['house of representatives', 'house'],
    ['state house', 'state-house'],
    ['state senate', 'state-senate'],
    ['vice presidential', 'vice-president'],
    ['vice president', 'vice-president'],
    ['vp', 'vice-president'],
    ['governorship', 'governor'],
    ['gubernatorial', 'governor'],
    ['governor', 'governor'],
    ['senate', 'senate'],
    ['house', 'house'],
    ['mayoral', 'mayor'],
    ['mayor', 'mayor'],
    ['presidential', 'president'],
    ['presidency', 'president'],
    ['president', 'president'],
  ] as const
).toSorted((a, b) => b[0].length - a[0].length);

const PARTIES: readonly (readonly [string, string])[] = [
  ['democratic', 'democratic'],
  ['democrat', 'democratic'],
  ['republican', 'republican'],
  ['gop', 'republican'],
];

const KINDS: readonly (readonly [string, string])[] = [
  ['primary', 'primary'],
  ['nominee', 'primary'],
  ['nomination', 'primary'],
  ['special', 'special'],
];

/** Words that change nothing about what is asked. */
const FILLER = new Set(
  'who which what will win wins winner winning be the a an of for in to race election elections seat party person control midterm midterms general'.split(
    ' ',
  ),
);

/** Takes one of these phrases out of a text. Null when the text names two of them. */
function take(text: string, phrases: readonly (readonly [string, string])[]): { found: string; rest: string } | null {
  let found = '';
  let rest = text;
  for (const [phrase, value] of phrases) {
    if (!rest.includes(` ${phrase} `)) continue;
    if (found !== '' && found !== value) return null;
    found = value;
    rest = rest.replaceAll(` ${phrase} `, '  ');
  }
  return { found, rest };
}

/** "OH-08", "DE-AL": the state of a district is known, and its number has two digits. */
const DISTRICT = new RegExp(String.raw`(?<![\w-])(${Object.keys(STATES).join('|')})-(\d{1,2}|al)(?![\w-])`, 'i');

/** Returns the contest of a title, such as `election|house|oh-08|general`, or null. */
export function parseElection(title: string): string | null {
  const district = DISTRICT.exec(title);
  const plain = district === null ? title : title.replace(district[0], ' ');
  const words = ` ${normalize(plain.replace(/\b20\d\d\b/g, ' '))} `;
  const office = take(words, OFFICES);
  const place = office && take(office.rest, PLACES);
  const party = place && take(place.rest, PARTIES);
  const kind = party && take(party.rest, KINDS);
  if (!office || !place || !party || !kind) return null;
  if (kind.rest.split(' ').some((word) => word !== '' && !FILLER.has(word))) return null;
  // A primary belongs to one party, and a party that is named otherwise asks something else.
  if ((kind.found === 'primary') !== (party.found !== '')) return null;
  const seat = seatOf(office.found, place.found, district && `${district[1]}-${(district[2] ?? '').padStart(2, '0')}`);
  if (seat === null) return null;
  return ['election', seat, kind.found === '' ? 'general' : kind.found, ...(party.found === '' ? [] : [party.found])]
    .join('|')
    .toLowerCase();
}

/** The office and its place. Null when the title names no place that the office may have. */
function seatOf(office: string, place: string, district: string | null): string | null {
  if (district !== null) return place === '' && (office === '' || office === 'house') ? `house|${district}` : null;
  switch (office) {
    case 'president':
    case 'vice-president':
      return place === '' || place === 'us' ? `${office}|us` : null;
    case 'house':
      return place === '' || place === 'us' ? 'control|house' : null;
    case 'senate':
      return place === '' || place === 'us' ? 'control|senate' : place === 'dc' ? null : `senate|${place}`;
    case 'mayor':
      return place === 'dc' ? 'mayor|dc' : null;
    default:
      return office === '' || place === '' || place === 'us' || place === 'dc' ? null : `${office}|${place}`;
  }
}

/** The party of a label, such as "Democratic (DFL) party". A single letter is a free seat. */
export function partyOf(label: string): 'democratic' | 'republican' | null {
  const plain = normalize(label);
  if (/^(?:democrats?|democratic(?: dfl)?(?: party)?)$/.test(plain)) return 'democratic';
  return /^(?:republicans?|republican party|gop)$/.test(plain) ? 'republican' : null;
}
