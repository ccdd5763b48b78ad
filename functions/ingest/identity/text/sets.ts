/** Returns the intersection of two sets (Set.prototype.intersection is missing in Node 20). */
export function intersection<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): Set<T> {
  return new Set([...a].filter((one) => b.has(one)));
}
