/**
 * Keeps one contract per key. Of several with one key, the only one that still trades is kept,
 * because a venue may list a contract again next to a closed one. When none or several trade, all
 * are dropped: it is unknown which one counts.
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
