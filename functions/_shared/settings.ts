/** Reads one environment variable of the function by its name. */
export type Environment = (name: string) => string | undefined;

/**
 * A variable that holds a number above zero; null where it is not set. @throws Error that names it
 */
export function positiveOf(env: Environment, name: string): number | null {
  const text = env(name);
  if (!text) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`${name} is ${text}; it must be a number above zero.`);
  return value;
}

/** `value` as the port of a server. @throws Error that names the variable */
export function portOf(name: string, value: number | null): number | null {
  if (value !== null && (!Number.isSafeInteger(value) || value > 65_535))
    throw new Error(`${name} is ${value}; it must be a port, 1 to 65535.`);
  return value;
}

/** A variable that holds a whole number above zero; null where it is not set. @throws Error */
export function countOf(env: Environment, name: string): number | null {
  const value = positiveOf(env, name);
  if (value !== null && !Number.isSafeInteger(value))
    throw new Error(`${name} is ${value}; it must be a whole number.`);
  return value;
}
