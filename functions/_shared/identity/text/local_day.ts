/** Days by the clock of a place. */

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, format);
  return format;
}

/** What the place's clock shows at an instant, as epoch ms as if it were UTC. */
function shownAt(ms: number, zone: string): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = value;
  return Date.parse(`${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:00Z`);
}

/** The instant (ISO 8601, UTC) at which the day `date` ("2026-08-09") ends in the time zone; null for no date. */
export function dayEnd(date: string, zone: string): string | null {
  const midnight = Date.parse(`${date}T00:00:00Z`) + 86_400_000;
  if (Number.isNaN(midnight)) return null;
  // The offset at the first guess may be that of the other side of a clock change; the second one is right.
  const guess = midnight - (shownAt(midnight, zone) - midnight);
  return new Date(midnight - (shownAt(guess, zone) - guess)).toISOString();
}
