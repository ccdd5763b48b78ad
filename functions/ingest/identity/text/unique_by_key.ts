/**
 * One contract for each key. Of several that say the same, the only one that still trades is kept (a venue lists anew beside what it has
 * closed); where that does not tell, none is: which one counts is not known.
 */
export function uniqueByKey<T extends { over: boolean }>(listed: readonly T[], keyOf: (one: T) => string): T[] {
  const byKey = new Map<string, T[]>();
  for (const one of listed) byKey.set(keyOf(one), [...(byKey.get(keyOf(one)) ?? []), one]);
  return [...byKey.values()].flatMap((same) => {
    const trading = same.filter((one) => !one.over);
    const [sole] = same.length === 1 ? same : trading;
    return sole !== undefined && (same.length === 1 || trading.length === 1) ? [sole] : [];
  });
}
