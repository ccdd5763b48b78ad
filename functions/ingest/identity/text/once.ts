/**
 * Returns a getter of a value that is computed at its first use: modules must load fast, because
 * the platform counts the CPU of each start (docs/measurements/2026-11-26-startup.md).
 */
export function once<T>(compute: () => T): () => T {
  let computed: { value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}
