// Later names are part of the text of earlier ones: Edge and Opera also call themselves Chrome, and
// Chrome calls itself Safari.
const browsers: [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: [pattern: RegExp, name: string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

const nameIn = (text: string, names: typeof browsers) => names.find(([pattern]) => pattern.test(text))?.[1];

/** A browser and its system from a User-Agent header: “Firefox on Windows”. */
export function browserName(userAgent: string | null): string {
  if (!userAgent) return 'Unknown browser';
  const browser = nameIn(userAgent, browsers);
  const system = nameIn(userAgent, systems);
  // Programs name themselves first, such as curl/8.5.0.
  if (!browser) return /^[\w.-]{1,40}/.exec(userAgent)?.[0] ?? 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
