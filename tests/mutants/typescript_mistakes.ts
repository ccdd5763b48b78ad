import type { Mistake } from './mistakes.ts';

export const typescriptMistakes: readonly Mistake[] = [];
