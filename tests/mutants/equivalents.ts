/**
 * Mutants that change nothing that a caller could see, each reviewed. `npm run mutants` prints the
 * id of every mutant that survives.
 */
export const equivalents: readonly { id: string; what: string; why: string }[] = [];
